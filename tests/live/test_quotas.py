"""ResourceQuotas read off a real API server, which takes keys that bind nothing."""

import asyncio

from gateway.errors import System
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep
from tests.fakes.feed import RecordingFeed

QUOTAS = SourceKey(System.KUBERNETES, "fleet", "resourcequotas")
HARD = {"nvidia.com/gpu": "8", "limits.nvidia.com/gpu": "8", "requests.nvidia.com/gpu": "10k", "pods": "40"}


async def test_a_quota_is_read_with_the_keys_that_bind_nothing(control_plane):
    await control_plane.create("/api/v1/namespaces", {"metadata": {"name": "quotas"}})
    feed = RecordingFeed()
    api = Api(ClusterAccess(name="fleet", way=Kubeconfig(path=control_plane.kubeconfig)))
    task = asyncio.create_task(KubernetesSource(Upkeep(api=api, feed=feed)).run())
    try:
        await feed.until(lambda: QUOTAS in feed.rows)
        body = {"metadata": {"name": "gpus"}, "spec": {"hard": HARD}}
        await control_plane.create("/api/v1/namespaces/quotas/resourcequotas", body)
        await feed.until(lambda: ("quotas", "gpus") in feed.rows[QUOTAS])
        told = {one.resource: one.text for one in feed.rows[QUOTAS]["quotas", "gpus"].hard}
        assert told == {key: text for key, text in HARD.items() if key != "pods"}
    finally:
        task.cancel()
        await asyncio.wait([task])
        await api.close()
