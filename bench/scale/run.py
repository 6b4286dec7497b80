"""The order of the measurements: sizes take turns, so that the machine drifts for all of them."""

import asyncio
import gc
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.scale.cluster import Cluster
from bench.scale.fleet import Fleet
from bench.scale.gateway import Gateway, running
from bench.scale.measure import Delays, Sync, at_rest, cost_of_event, delays, delays_of_relist, first_sync

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured, and how long."""

    pods: Sequence[int]
    """The sizes, smallest first."""
    rounds: int
    window_seconds: float
    """How long one kind of change streams in; some multiple of how often the gateway looks for alerts."""
    delay_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one size came to."""

    fleet: Fleet
    sync: Sync
    rest: float
    """CPU milliseconds a second while nothing changes."""
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
    rest: list[float] = field(default_factory=list)
    events: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


async def measure(plan: Plan, core: int, tell: Tell) -> list[Measured]:
    """Measure every size, each with a gateway of its own on the same core."""
    async with AsyncExitStack() as stack:
        benches = [await stack.enter_async_context(_bench(pods, core, tell)) for pods in plan.pods]
        for number in range(plan.rounds):
            tell(f"events, round {number + 1} of {plan.rounds} ...")
            await _round(benches, plan)
        return [await _measured(bench, plan, tell) for bench in benches]


@asynccontextmanager
async def _bench(pods: int, core: int, tell: Tell) -> AsyncIterator[_Bench]:
    tell(f"{pods:,} pods: making the fleet ...")
    cluster = Cluster(Fleet(pods))
    gc.freeze()  # or the simulator's own collections would count as delays
    with TemporaryDirectory() as folder:
        async with cluster.listener, running(cluster.listener.url, Path(folder), core) as gateway:
            tell(f"{pods:,} pods: the first sync ...")
            yield _Bench(cluster=cluster, gateway=gateway, sync=await first_sync(cluster, gateway))


async def _round(benches: Sequence[_Bench], plan: Plan) -> None:
    rests = await at_rest([bench.gateway for bench in benches], plan.window_seconds)
    for bench, rest in zip(benches, rests, strict=True):
        bench.rest.append(rest)
    for change in benches[0].cluster.changes:
        for bench, rest in zip(benches, rests, strict=True):
            cost = await cost_of_event(bench.cluster, bench.gateway, change, plan.window_seconds, rest)
            bench.events[change].append(cost)


async def _measured(bench: _Bench, plan: Plan, tell: Tell) -> Measured:
    cluster, gateway = bench.cluster, bench.gateway
    tell(f"{cluster.fleet.pods:,} pods: delays ...")
    stream = await delays(cluster, gateway, plan.delay_seconds)
    await asyncio.sleep(1)
    relist = await delays_of_relist(cluster, gateway, plan.delay_seconds)
    return Measured(
        fleet=cluster.fleet,
        sync=bench.sync,
        rest=median(bench.rest),
        events={change: median(costs) for change, costs in bench.events.items()},
        stream=stream,
        relist=relist,
        memory_after=gateway.memory.now,
    )
