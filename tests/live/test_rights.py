"""What check-config tells of the controllers' rights, and that its fixes are the right ones."""

import asyncio
import re

import yaml

from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.election import LeaseElection, Seat
from gateway.sources.kubernetes.rights import probe_rights
from tests.live.test_probes import allowed
from tests.sources.trials import outcomes, told

LEASES, OPERATOR = "kube-system", "default"
"""Namespaces that every cluster has."""


async def tried(control_plane, token, leases=LEASES):
    way = Url(url=control_plane.url, token=token, ca_file=control_plane.ca)
    api = Api(ClusterAccess(name="fleet", way=way))
    try:
        return await told(probe_rights(api, leases, OPERATOR))
    finally:
        await api.close()


async def test_who_may_do_nothing_is_told_each_rule_and_with_these_rules_may_do_all(control_plane):
    powerless = control_plane.powerless_token
    trials = await tried(control_plane, powerless)
    rules = [re.search(r"allow (\{.*\}) in a", trial.fix)[1] for trial in trials.values() if trial.fix]
    assert len(rules) == len(trials) - 1  # all but the namespace, of which nothing can be told
    assert "update leases.coordination.k8s.io gpu-gateway-controllers in kube-system" in trials

    async with allowed(control_plane, [yaml.safe_load(rule) for rule in rules]), asyncio.timeout(30):
        while set(outcomes(trials).values()) != {"ok"}:  # the server reads its own rules by a watch
            trials = await tried(control_plane, powerless)


async def test_a_namespace_that_is_not_there_is_told_with_its_fix(control_plane):
    trials = await tried(control_plane, control_plane.token, leases="nowhere")

    namespace = trials.pop("namespace nowhere")
    assert set(outcomes(trials).values()) == {"ok"}
    assert (namespace.outcome.value, namespace.said) == ("FAILED", 'namespaces "nowhere" not found')
    assert namespace.fix == "kubectl create namespace nowhere, or set controllers.lease_namespace"


async def test_a_lease_without_a_namespace_is_told_with_its_fix_and_nobody_leads(control_plane, caplog):
    way = Url(url=control_plane.url, token=control_plane.token, ca_file=control_plane.ca)
    api = Api(ClusterAccess(name="fleet", way=way))
    tenure = await LeaseElection(api, Seat(namespace="nowhere"), "first").tenure()
    await api.close()

    assert not tenure.is_leader
    assert 'namespaces "nowhere" not found: create it, or set controllers.lease_namespace' in caplog.text


async def test_a_token_that_is_not_known_is_told_for_each(control_plane):
    trials = await tried(control_plane, "unheard-of")

    assert set(outcomes(trials).values()) == {"FAILED"}
