"""What check-config tells of real servers, and that its fixes are the right ones."""

import asyncio
import re
from contextlib import asynccontextmanager

import pytest
import yaml

from gateway.fleet.clock import utc_now
from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.probe import READINGS, probe
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.probe import probe as probe_slurm
from gateway.sources.volcano.probe import READINGS as VOLCANO
from tests.sources.trials import outcomes, told

RBAC = "rbac.authorization.k8s.io"
ROLES, BINDINGS = f"/apis/{RBAC}/v1/clusterroles", f"/apis/{RBAC}/v1/clusterrolebindings"
NODES = "list and watch nodes"
NAME = "gpu-gateway-probe"


async def tried(way):
    api = Api(ClusterAccess(name="fleet", way=way))
    try:
        return await told(probe(api, (*READINGS, *VOLCANO)))
    finally:
        await api.close()


def as_powerless(control_plane):
    return Url(url=control_plane.url, token=control_plane.powerless_token, ca_file=control_plane.ca)


@asynccontextmanager
async def allowed(control_plane, rules):
    """Let the powerless user do these things meanwhile."""
    subject = {"apiGroup": RBAC, "kind": "User", "name": control_plane.powerless_token}
    role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": NAME}
    await control_plane.create(ROLES, {"metadata": {"name": NAME}, "rules": rules})
    await control_plane.create(BINDINGS, {"metadata": {"name": NAME}, "roleRef": role, "subjects": [subject]})
    try:
        yield
    finally:
        await control_plane.request("DELETE", f"{BINDINGS}/{NAME}")
        await control_plane.request("DELETE", f"{ROLES}/{NAME}")


async def once(is_so, control_plane):
    """What the powerless user is told once it is so: the server reads its own rules by a watch."""
    async with asyncio.timeout(30):
        while not is_so(trials := await tried(as_powerless(control_plane))):
            pass
    return trials


async def test_an_administrator_may_read_all_that_is_there(control_plane):
    trials = await tried(Kubeconfig(path=control_plane.kubeconfig))

    assert outcomes(trials) == {
        "reach": "ok",
        "list and watch nodes": "ok",
        "list and watch pods": "ok",
        "list and watch resourceslices.resource.k8s.io": "ok",
        "list and watch resourceclaims.resource.k8s.io": "ok",
        "list and watch resourcequotas": "ok",
        "list and watch limitranges": "ok",
        "list and watch events": "ok",
        "list and watch workloads.kueue.x-k8s.io": "absent",
        "list and watch namespaces": "ok",
        "list and watch runtimeclasses.node.k8s.io": "ok",
        "list daemonsets.apps": "ok",
        "get configmaps in gpu-operator": "absent",
        "list and watch queues.scheduling.volcano.sh": "absent",
        "list and watch podgroups.scheduling.volcano.sh": "absent",
        "list deployments.apps": "ok",
        "get configmaps in volcano-system": "absent",
    }


async def test_the_rules_that_are_told_are_all_that_is_missing(volcano_api):
    """Whoever puts them into a ClusterRole may read everything."""
    refused = await tried(as_powerless(volcano_api))
    rules = [yaml.safe_load(re.search(r"\{.*\}", trial.fix)[0]) for trial in refused.values() if trial.fix]

    assert outcomes(refused) == {"reach": "ok"} | {
        one.what: "warning" if one.loss else "FAILED" for one in (*READINGS, *VOLCANO)
    }
    async with allowed(volcano_api, rules):
        trials = await once(lambda found: set(outcomes(found).values()) <= {"ok", "absent"}, volcano_api)

    assert trials["list and watch queues.scheduling.volcano.sh"].said == "allowed"


async def test_a_rule_without_watch_is_not_enough(control_plane):
    rules = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}]
    async with allowed(control_plane, rules):
        trials = await once(lambda found: "cannot list" not in found[NODES].said, control_plane)

    assert trials[NODES].outcome.value == "FAILED"
    assert 'cannot watch resource "nodes"' in trials[NODES].said


async def test_a_token_that_nobody_knows_is_told(control_plane):
    trials = await tried(Url(url=control_plane.url, token="unknown", ca_file=control_plane.ca))  # noqa: S106

    assert outcomes(trials) == {"token": "FAILED"}


async def test_a_certificate_that_nobody_vouches_for_is_told_with_the_fix(control_plane):
    trials = await tried(Url(url=control_plane.url, token=control_plane.token))

    assert outcomes(trials) == {"certificate": "FAILED"}
    assert "ca_file" in trials["certificate"].fix


async def test_a_real_slurm_is_told_with_every_version_that_it_serves(slurm):
    access = SlurmAccess(name="island", cluster="fleet", url=slurm.url, user=slurm.user, token=slurm.token)

    trials = await told(probe_slurm(access, utc_now))

    assert outcomes(trials) == {"reach": "ok", "nodes": "ok", "jobs": "ok"}
    assert re.fullmatch(r"serves (v0\.0\.\d+, )*v0\.0\.\d+; v0\.0\.\d+ is spoken", trials["reach"].said)


@pytest.mark.parametrize("token", ["garbage", None])
async def test_a_real_slurm_turns_a_bad_token_down(slurm, token):
    access = SlurmAccess(name="island", cluster="fleet", url=slurm.url, user=slurm.user, token=token)

    trials = await told(probe_slurm(access, utc_now))

    assert set(outcomes(trials).values()) == {"FAILED"}
