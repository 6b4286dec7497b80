"""The scheduler's release and configuration, read off a real API server and its own access rules."""

import asyncio
import contextlib
from datetime import timedelta

import pytest

from gateway.errors import System
from gateway.fleet.scheduler import SharePlugin
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.upkeep import Timing, Upkeep
from gateway.sources.volcano.scheduler import SchedulerPoll
from tests.fakes.feed import RecordingFeed
from tests.sources.volcano.installation import a_config_map, a_deployment

KEY = SourceKey(System.QUEUES, "fleet", "scheduler")
ROLES = "/apis/rbac.authorization.k8s.io/v1"
DEPLOYMENTS = "/apis/apps/v1/namespaces/volcano-system/deployments"


@pytest.fixture(scope="module")
async def installed(control_plane):
    """A cluster with the scheduler, beside another Deployment."""
    await control_plane.create("/api/v1/namespaces", {"metadata": {"name": "volcano-system"}})
    for deployment in (a_deployment(), a_deployment("web:v1.2.3", name="web", labels={"app": "web"})):
        await control_plane.create(DEPLOYMENTS, _accepted(deployment))
    await control_plane.create("/api/v1/namespaces/volcano-system/configmaps", a_config_map())
    yield control_plane
    await control_plane.request("DELETE", f"{DEPLOYMENTS}/volcano-scheduler")


async def test_reads_it_off_the_label_and_the_mounted_configuration(installed):
    scheduler = await told(installed, installed.token)
    assert str(scheduler.release) == "v1.13.3"
    assert scheduler.config.share_plugin is SharePlugin.CAPACITY
    assert scheduler.config.hierarchy


async def test_who_may_not_look_is_told_so_in_the_servers_words(installed):
    scheduler = await told(installed, installed.powerless_token)
    assert isinstance(scheduler.release, Unknown)
    assert "deployments.apps is forbidden" in scheduler.release.reason


async def test_who_may_look_where_volcano_usually_is_needs_no_more(installed):
    role = f"{ROLES}/namespaces/volcano-system"
    rules = [
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"]},
        {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "resourceNames": ["volcano-scheduler-configmap"],
            "verbs": ["get"],
        },
    ]
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "look"}
    user = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": installed.powerless_token}
    await installed.create(f"{role}/roles", {"metadata": {"name": "look"}, "rules": rules})
    binding = {"metadata": {"name": "look"}, "roleRef": reference, "subjects": [user]}
    await installed.create(f"{role}/rolebindings", binding)
    scheduler = await told(installed, installed.powerless_token, config=True)
    assert str(scheduler.release) == "v1.13.3"


async def told(control_plane, token, *, config=False):
    """What a gateway with this token tells of the scheduler, where asked so with its configuration."""
    way = Url(url=control_plane.url, token=token, ca_file=control_plane.ca)
    feed, api = RecordingFeed(), Api(ClusterAccess(name="fleet", way=way))
    upkeep = Upkeep(api=api, feed=feed, timing=Timing(scheduler_every=timedelta(milliseconds=100)))
    task = asyncio.create_task(SchedulerPoll(upkeep).run())

    def is_told():
        held = feed.rows.get(KEY, {}).get("scheduler")
        return held is not None and not (config and isinstance(held.config, Unknown))

    try:
        await feed.until(is_told)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await api.close()
    return feed.rows[KEY]["scheduler"]


def _accepted(deployment):
    """The Deployment with what the server asks for besides."""
    labels = {"app": deployment["metadata"]["name"]}
    template = {**deployment["spec"]["template"], "metadata": {"labels": labels}}
    return {**deployment, "spec": {"selector": {"matchLabels": labels}, "template": template}}
