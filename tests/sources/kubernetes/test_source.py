import asyncio
import contextlib
import json

from gateway.errors import System
from gateway.fleet.source import SourceKey, SourceState
from gateway.simulator.faults import WireFault
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Timing, Upkeep
from gateway.sources.volcano.source import VolcanoSource
from tests.contracts.kubernetes_source import QUICK
from tests.fakes.feed import RecordingFeed
from tests.sources.kubernetes.reading import RECORDINGS

KUBERNETES = {kind: SourceKey(System.KUBERNETES, "fleet", kind) for kind in ("nodes", "pods", "version")}
VOLCANO = {kind: SourceKey(System.QUEUES, "fleet", kind) for kind in ("queues", "podgroups")}
SCHEDULER = SourceKey(System.QUEUES, "fleet", "scheduler")
OPTIONAL = {
    SourceKey(System.KUBERNETES, "fleet", kind)
    for kind in (
        "resourceslices",
        "resourceclaims",
        "resourcequotas",
        "limitranges",
        "events",
        "workloads",
        "namespaces",
        "runtimeclasses",
        "operands",
        "migconfigs",
    )
}


def recorded(*paths):
    return [body for path in paths for body in json.loads((RECORDINGS / path).read_text())["items"]]


@contextlib.asynccontextmanager
async def running(simulated):
    """A feed that both sources of a simulated cluster tell."""
    feed = RecordingFeed()
    async with Listener(simulated) as listener:
        api = Api(ClusterAccess(name="fleet", way=Url(url=listener.url)))
        upkeep = Upkeep(api=api, feed=feed, timing=Timing(watch=QUICK))
        sources = KubernetesSource(upkeep), VolcanoSource(upkeep)
        tasks = [asyncio.create_task(source.run()) for source in sources]
        try:
            yield feed
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await api.close()
    assert all(task.cancelled() for task in tasks)


def told(feed, *keys):
    return lambda: all(key in feed.rows for key in keys)


async def test_tells_everything_that_a_cluster_with_volcano_holds():
    fleet = [f"kubernetes/f16-zoo/{kind}.json" for kind in ("nodes", "pods")]
    queues = [f"volcano/gang-running-{kind}.json" for kind in ("queues", "podgroups")]
    async with running(KubernetesApi(Store(recorded(*fleet, *queues)))) as feed:
        await feed.until(told(feed, *KUBERNETES.values(), *VOLCANO.values()))
        held = {key.kind: rows for key, rows in feed.rows.items()}
        assert held["nodes"].keys() == {"amd-01", "cpu-04", "mig-a30-05", "mixed-02", "slice-03"}
        assert held["pods"]["default", "etl-019"].name == "etl-019"
        assert held["version"] == {"version": "v1.36.3"}
        assert held["queues"].keys() == {"default", "idle", "root", "vision"}
        assert held["podgroups"].keys() == {("vision", "infer"), ("vision", "train")}
        assert not any(contact.skipped for contact in feed.contacts.values())


async def test_a_cluster_without_volcano_has_none_and_nothing_is_wrong():
    async with running(KubernetesApi(Store(recorded("kubernetes/f16-zoo/nodes.json")))) as feed:
        await feed.until(lambda: all(feed.contacts[key].absent for key in VOLCANO.values()))
        assert {feed.contacts[key].error for key in VOLCANO.values()} == {None}


async def test_one_silent_kind_leaves_the_others_alone():
    simulated = KubernetesApi(
        Store(recorded("kubernetes/f16-zoo/nodes.json", "kubernetes/f16-zoo/pods.json"))
    )
    simulated.faults["pods"] = KubernetesFault.UNAVAILABLE
    async with running(simulated) as feed:
        await feed.until(told(feed, KUBERNETES["nodes"], KUBERNETES["version"]))
        await feed.until(lambda: feed.contacts[KUBERNETES["pods"]].consecutive_failures > 1)
        assert KUBERNETES["pods"] not in feed.rows
        assert "503" in feed.contacts[KUBERNETES["pods"]].error
        simulated.faults.clear()
        await feed.until(told(feed, KUBERNETES["pods"]))


async def test_whatever_is_wrong_with_a_cluster_is_told_for_each_listing_and_ends_nothing():
    simulated = KubernetesApi(
        Store(recorded("kubernetes/f16-zoo/nodes.json", "kubernetes/f16-zoo/pods.json"))
    )
    everything = [*KUBERNETES.values(), *VOLCANO.values()]
    for fault in (WireFault.CUT, WireFault.GARBAGE, *KubernetesFault):
        simulated.fault = fault
        async with running(simulated) as feed:
            await feed.until(lambda feed=feed: all(feed.contacts[key].error for key in everything))
            assert not feed.rows.keys() & {*everything}, fault
            simulated.fault = None
            await feed.until(told(feed, *KUBERNETES.values()))


async def test_what_was_held_is_kept_and_grows_old_while_a_cluster_is_mute():
    simulated = KubernetesApi(Store(recorded("kubernetes/f16-zoo/nodes.json")))
    key = KUBERNETES["nodes"]
    async with running(simulated) as feed:
        await feed.until(told(feed, key))
        simulated.fault = WireFault.GARBAGE
        await feed.until(lambda: feed.contacts[key].consecutive_failures > 0)
        contact = feed.contacts[key]
        assert contact.state(contact.last_attempt_at) is SourceState.STALE
        assert contact.state(contact.last_success_at + Timing().stale_after * 2) is SourceState.DOWN
        assert "amd-01" in feed.rows[key]


def test_every_listing_is_known_before_it_is_read_and_fresh_for_longer_than_a_watch():
    feed = RecordingFeed()
    upkeep = Upkeep(api=Api(ClusterAccess(name="fleet", way=Url(url="http://127.0.0.1:1"))), feed=feed)
    KubernetesSource(upkeep)
    VolcanoSource(upkeep)
    assert feed.contacts.keys() == {*KUBERNETES.values(), *OPTIONAL, *VOLCANO.values(), SCHEDULER}
    watch = Timing().watch
    assert min(contact.fresh_for for contact in feed.contacts.values()) > watch.watch + watch.grace
