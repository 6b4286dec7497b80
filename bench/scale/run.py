"""The order of the measurements: sizes take turns, so that the machine drifts for all of them."""

import asyncio
import gc
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.scale.cluster import Cluster
from bench.scale.fleet import Fleet
from bench.scale.gateway import Gateway, running
from bench.scale.measure import Delays, Sync, cost_of_event, delays, delays_of_relist, first_sync

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured, and how long."""

    pods: Sequence[int]
    """The sizes, smallest first."""
    rounds: int
    event_seconds: float
    delay_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one size came to."""

    fleet: Fleet
    sync: Sync
    events: Mapping[str, float]
    """CPU milliseconds of one event, by what changed: the median of the rounds."""
    stream: Delays
    relist: Delays
    memory_after: float
    """MiB after all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """One size while it is measured."""

    cluster: Cluster
    gateway: Gateway
    sync: Sync


async def measure(plan: Plan, core: int, tell: Tell) -> list[Measured]:
    """Measure every size, each with a gateway of its own on the same core."""
    async with AsyncExitStack() as stack:
        benches = [await stack.enter_async_context(_bench(pods, core, tell)) for pods in plan.pods]
        events = await _events(benches, plan, tell)
        return [await _measured(bench, events[bench.cluster.fleet], plan, tell) for bench in benches]


@asynccontextmanager
async def _bench(pods: int, core: int, tell: Tell) -> AsyncIterator[_Bench]:
    tell(f"{pods:,} pods: making the fleet ...")
    cluster = Cluster(Fleet(pods))
    gc.freeze()  # or the simulator's own collections would count as delays
    with TemporaryDirectory() as folder:
        async with cluster.listener, running(cluster.listener.url, Path(folder), core) as gateway:
            tell(f"{pods:,} pods: the first sync ...")
            yield _Bench(cluster=cluster, gateway=gateway, sync=await first_sync(cluster, gateway))


async def _events(benches: Sequence[_Bench], plan: Plan, tell: Tell) -> Mapping[Fleet, dict[str, float]]:
    costs: defaultdict[Fleet, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in range(plan.rounds):
        tell(f"events, round {number + 1} of {plan.rounds} ...")
        for change in benches[0].cluster.changes:
            for bench in benches:
                cost = await cost_of_event(bench.cluster, bench.gateway, change, plan.event_seconds)
                costs[bench.cluster.fleet][change].append(cost)
    return {fleet: {change: median(found) for change, found in by.items()} for fleet, by in costs.items()}


async def _measured(bench: _Bench, events: dict[str, float], plan: Plan, tell: Tell) -> Measured:
    cluster, gateway = bench.cluster, bench.gateway
    tell(f"{cluster.fleet.pods:,} pods: delays ...")
    stream = await delays(cluster, gateway, plan.delay_seconds)
    await asyncio.sleep(1)
    relist = await delays_of_relist(cluster, gateway, plan.delay_seconds)
    return Measured(
        fleet=cluster.fleet,
        sync=bench.sync,
        events=events,
        stream=stream,
        relist=relist,
        memory_after=gateway.memory.now,
    )
