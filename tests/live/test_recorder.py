"""Why work waits as a real cluster says it, kept in a real Postgres by the sources that serve."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

import pytest

from gateway.controllers.recorder import Keeping, Recorder
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.pending.reason import ReasonsAsked
from gateway.fleet.reasons.reason import PendingCode
from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.reasons import PostgresReasons
from tests.servers.cluster import Cluster
from tests.servers.control_plane import MERGE_PATCH

MIG = "nvidia.com/mig-4g.20gb"
GPU = "nvidia.com/gpu"
NODE = "/api/v1/nodes/kept-01"
POOL = {"pool": "kept"}
KEEPING = Keeping(kept_for=timedelta(days=30), stale_after=timedelta(minutes=5))
NUMBERS = count(1)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A namespace of one test, and the database that its reasons are kept in."""

    cluster: Cluster
    namespace: str
    dsn: str

    @property
    def core(self):
        return f"/api/v1/namespaces/{self.namespace}"

    @property
    def jobs(self):
        return f"/apis/batch/v1/namespaces/{self.namespace}/jobs"

    async def kept(self):
        """What is kept of the namespace."""
        asked = ReasonsAsked(
            cluster="fleet", namespaces=(self.namespace,), subjects=None, before=None, limit=50
        )
        (page,) = await PostgresReasons(lambda: self.dsn).reasons([asked])
        return page.reasons

    async def until(self, is_so):
        """What is kept, once it is so."""
        reasons = ()
        try:
            async with asyncio.timeout(40):
                while not (reasons := await self.kept()) or not is_so(reasons):  # noqa: ASYNC110  a database
                    await asyncio.sleep(0.2)
        except TimeoutError:
            pytest.fail(f"still kept: {reasons}")
        return reasons

    async def forget_events(self):
        """Do what their time to live does after an hour."""
        await self.cluster.request("DELETE", f"{self.core}/events")

    async def said(self, uid):
        """How often the cluster's own events say something of it."""
        listed = await self.cluster.request("GET", f"{self.core}/events")
        told = [one for one in listed["items"] if one["involvedObject"]["uid"] == uid]
        return sum((one.get("series") or {}).get("count") or one.get("count") or 1 for one in told)

    async def make_room(self, cards):
        """Have the scheduler look at all that waits once more."""
        offered = {"cpu": "8", "memory": "64Gi", "pods": "110", GPU: str(cards)}
        await self.cluster.patch_status(NODE, {"capacity": offered, "allocatable": offered})

    async def relabel(self, pod):
        """Begin another series of events, which go by the pod's version; the one before is written later."""
        labels = {"metadata": {"labels": {"another": "version"}}}
        await self.cluster.request("PATCH", f"{self.core}/pods/{pod}", labels, MERGE_PATCH)

    async def refuse(self, kind, spec, job):
        """Let an admission refuse the pods of a job."""
        await self.cluster.create(f"{self.core}/{kind}", {"metadata": {"name": "cards"}, "spec": spec})
        await self.cluster.until(
            f"{self.core}/{kind}/cards", lambda one: one.get("status") or "quota" not in kind
        )
        return await self.cluster.create(self.jobs, job)


@pytest.fixture(scope="module")
async def node(cluster):
    """One node, whose cards are given by each test."""
    await cluster.create("/api/v1/nodes", {"metadata": {"name": "kept-01", "labels": POOL}})
    await cluster.until(NODE, lambda node: not node["spec"].get("taints"))
    yield cluster
    await cluster.request("DELETE", NODE)


@pytest.fixture
async def place(node, postgres_dsn):
    await migrate(postgres_dsn)
    namespace = f"kept-{next(NUMBERS)}"
    await node.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    there = Place(cluster=node, namespace=namespace, dsn=postgres_dsn)
    await there.make_room(8)
    yield there
    await node.request("DELETE", f"/api/v1/namespaces/{namespace}")


@asynccontextmanager
async def recording(place):
    """A recorder over sources of its own, as each process has them."""
    api = Api(ClusterAccess(name="fleet", way=Kubeconfig(path=place.cluster.kubeconfig)))
    keeper = FleetKeeper(["fleet"], {})
    recorder = Recorder(keeper.pin, keeper, PostgresReasons(lambda: place.dsn), KEEPING, often)
    running = (KubernetesSource(Upkeep(api=api, feed=keeper)).run(), recorder.run())
    tasks = [asyncio.create_task(one) for one in running]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await api.close()


async def often(seconds):
    """Look more often than a process does."""
    await asyncio.sleep(min(seconds, 0.2))


def a_pod(name, resource, cards, **more):
    resources = {"limits": {resource: str(cards)}}
    containers = [{"name": "main", "image": "trainer", "resources": resources}]
    spec = {"containers": containers, "nodeSelector": POOL, **more}
    return {"metadata": {"name": name}, "spec": spec}


def a_job(name, cards):
    pod = a_pod(name, GPU, cards, restartPolicy="Never")
    return {"metadata": {"name": name}, "spec": {"template": {"spec": pod["spec"]}}}


async def test_a_reason_outlives_the_events_and_the_pod(place):
    async with recording(place):
        pod = await place.cluster.create(f"{place.core}/pods", a_pod("huge", MIG, 2))
        (kept,) = await place.until(lambda reasons: reasons[0].count == 1)
        assert (kept.pod_name, kept.key.subject) == ("huge", pod["metadata"]["uid"])
        assert (kept.code, kept.scheduler) == (PendingCode.INSUFFICIENT_RESOURCE, "default-scheduler")
        assert (1, MIG) in {(part.nodes, part.resource) for part in kept.parts}
        assert sum(part.nodes for part in kept.parts) == kept.total_nodes
        await place.forget_events()
        await asyncio.sleep(1)
        (still,) = await place.kept()
        assert (still.number, still.message, still.resolved_at) == (kept.number, kept.message, None)
        await place.cluster.request("DELETE", f"{place.core}/pods/huge")
        (gone,) = await place.until(lambda reasons: reasons[0].resolved_at)
        assert (gone.number, gone.message) == (kept.number, kept.message)


async def test_a_pod_of_the_same_name_made_anew_is_another_one(place):
    async with recording(place):
        await place.cluster.create(f"{place.core}/pods", a_pod("huge", MIG, 2))
        await place.until(lambda reasons: reasons[0].resolved_at is None)
        await place.cluster.request("DELETE", f"{place.core}/pods/huge")
        await place.cluster.until_gone(f"{place.core}/pods/huge")
        anew = await place.cluster.create(f"{place.core}/pods", a_pod("huge", MIG, 2))
        second, first = await place.until(lambda reasons: len(reasons) == 2 and reasons[1].resolved_at)
        assert (second.pod_name, first.pod_name) == ("huge", "huge")
        assert (second.key.subject, second.resolved_at) == (anew["metadata"]["uid"], None)


async def test_what_a_quota_refuses_is_kept_on_the_job_until_it_has_pods(place):
    async with recording(place):
        quota = {"hard": {f"requests.{GPU}": "0"}}
        job = await place.refuse("resourcequotas", quota, a_job("train", 1))
        (kept,) = await place.until(lambda reasons: reasons[0].code is PendingCode.QUOTA_EXCEEDED)
        assert (kept.pod_name, kept.controller) == (None, "Job/train")
        assert kept.key.subject == job["metadata"]["uid"]
        assert [part.resource for part in kept.parts] == [GPU]
        assert kept.resolved_at is None
        await place.cluster.request("DELETE", f"{place.core}/resourcequotas/cards")
        await place.until(lambda reasons: all(one.resolved_at for one in reasons))


async def test_what_a_limit_range_refuses_is_kept_on_the_job(place):
    async with recording(place):
        limits = {"limits": [{"type": "Container", "max": {GPU: "1"}}]}
        await place.refuse("limitranges", limits, a_job("train", 2))
        (kept,) = await place.until(lambda reasons: reasons[0].code is PendingCode.LIMIT_RANGE)
        assert (kept.pod_name, kept.controller) == (None, "Job/train")
        assert [part.resource for part in kept.parts] == [GPU]


async def test_two_recorders_and_a_restart_count_what_the_scheduler_counts_once(place):
    async with AsyncExitStack() as first, AsyncExitStack() as second:
        for stack in (first, second):
            await stack.enter_async_context(recording(place))
        await place.cluster.create(f"{place.core}/pods", a_pod("holder", GPU, 8))
        await place.cluster.until(f"{place.core}/pods/holder", lambda pod: pod["spec"].get("nodeName"))
        pod = await place.cluster.create(f"{place.core}/pods", a_pod("greedy", GPU, 8))
        await tried_again(place, (9, 10))
        await first.aclose()
        await place.relabel("greedy")
        await tried_again(place, (11, 12))
        async with recording(place):
            await asyncio.sleep(2)
            told = [one for one in await place.kept() if one.pod_name == "greedy"]
            assert [one.count for one in told] == [await place.said(pod["metadata"]["uid"])]
            assert told[0].count > 2


async def tried_again(place, offers):
    """Let the scheduler try again, since a node offers more, though not enough."""
    for cards in offers:
        told = await place.until(lambda reasons: any(one.pod_name == "greedy" for one in reasons))
        before = sum(one.count for one in told)
        await place.make_room(cards)
        await place.until(lambda reasons, before=before: sum(one.count for one in reasons) > before)
