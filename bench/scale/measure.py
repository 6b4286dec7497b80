"""The measurements: each takes a cluster and the gateway that reads it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import quantiles
from time import perf_counter

from bench.scale.cluster import Cluster
from bench.scale.gateway import CLUSTER, Gateway, Memory
from bench.scale.pod import Pod

RATE = 200
"""Changes a second."""
_SYNC_SECONDS = 300.0
_LOOK_SECONDS = 0.1
_SETTLE_SECONDS = 1.0
_LONGEST_DELAY = 90.0
_ASK_SECONDS = 0.005

_SOURCES = "{ sources { name state objects } }"
_POD = """query ($cluster: String!, $namespace: String!, $name: String!) {
  pod(cluster: $cluster, namespace: $namespace, name: $name) {
    phase node { busy gpus { resources { name requested free } } } } }"""
_PAGES = """query ($cluster: String!) { cluster(name: $cluster) {
  capacity { gpuType { name } target physical healthy }
  nodes(first: 50) { totalCount nodes { name ready gpus { cards wholeCards } } }
  pods(first: 50) { totalCount nodes { name state node { name } } } } }"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """A start, until everything that there is stands in answers."""

    seconds: float
    cpu_seconds: float
    memory: Memory


async def first_sync(cluster: Cluster, gateway: Gateway) -> Sync:
    """Wait until the gateway, which was just started, holds all that there is."""
    wanted = {"nodes": cluster.fleet.nodes, "pods": cluster.fleet.pods}
    async with asyncio.timeout(_SYNC_SECONDS):
        while await _held(gateway) != wanted:  # noqa: ASYNC110  another process sets no event
            await asyncio.sleep(_LOOK_SECONDS)
    seconds, cpu_seconds = perf_counter() - gateway.started, gateway.cpu_seconds
    await asyncio.sleep(_SETTLE_SECONDS)
    return Sync(seconds=seconds, cpu_seconds=cpu_seconds, memory=gateway.memory)


async def _held(gateway: Gateway) -> dict[str, int]:
    sources = (await gateway.ask(_SOURCES))["sources"]
    prefix = f"kubernetes/{CLUSTER}/"
    held = {one["name"].removeprefix(prefix): one["objects"] for one in sources if one["state"] == "FRESH"}
    return {kind: held.get(kind, 0) for kind in ("nodes", "pods")}


async def at_rest(gateways: Iterable[Gateway], seconds: float) -> list[float]:
    """CPU milliseconds a second of gateways while nothing changes."""
    before = {gateway: gateway.cpu_seconds for gateway in gateways}
    await asyncio.sleep(seconds)
    return [(gateway.cpu_seconds - then) * 1e3 / seconds for gateway, then in before.items()]


async def cost_of_event(
    cluster: Cluster, gateway: Gateway, change: str, seconds: float, rest: float
) -> float:
    """CPU milliseconds of the gateway for each watch event of one kind, above what it needs at rest."""
    before, began = gateway.cpu_seconds, perf_counter()
    events = await cluster.stream([cluster.changes[change]], RATE, seconds - _SETTLE_SECONDS)
    await asyncio.sleep(_SETTLE_SECONDS)
    spent = (gateway.cpu_seconds - before) * 1e3
    return (spent - rest * (perf_counter() - began)) / events


@dataclass(frozen=True, slots=True, kw_only=True)
class Delays:
    """Milliseconds."""

    visible: list[float] = field(default_factory=list)
    """From a change in the source to an answer that shows it."""
    pages: list[float] = field(default_factory=list)
    """From a question for the whole account and the first pages of nodes and pods to its answer."""


async def delays(cluster: Cluster, gateway: Gateway, seconds: float) -> Delays:
    """How soon changes are seen while many others stream in and a dashboard asks once a second."""
    found = Delays()
    end = perf_counter() + seconds
    async with asyncio.TaskGroup() as group:
        group.create_task(cluster.stream(list(cluster.changes.values()), RATE, seconds))
        group.create_task(_dashboard(gateway, found.pages, end))
        group.create_task(_probe(cluster, gateway, found.visible, end))
    return found


async def delays_of_relist(cluster: Cluster, gateway: Gateway, seconds: float) -> Delays:
    """The same while everything is listed again."""
    cluster.forget()
    return await delays(cluster, gateway, seconds)


async def _probe(cluster: Cluster, gateway: Gateway, delays: list[float], end: float) -> None:
    while perf_counter() < end:
        turned = perf_counter()
        pod = cluster.turn()
        async with asyncio.timeout(_LONGEST_DELAY):
            while not await _shows(gateway, pod):  # noqa: ASYNC110  another process sets no event
                await asyncio.sleep(_ASK_SECONDS)
        delays.append((perf_counter() - turned) * 1e3)
        await asyncio.sleep(0.02)


async def _shows(gateway: Gateway, pod: Pod) -> bool:
    """Whether the pod and the sums of its node are as they were made."""
    found = (await gateway.ask(_POD, cluster=CLUSTER, namespace=pod.namespace, name=pod.name))["pod"]
    return found is not None and found["phase"] == pod.phase


async def _dashboard(gateway: Gateway, delays: list[float], end: float) -> None:
    while perf_counter() < end:
        asked = perf_counter()
        await gateway.ask(_PAGES, cluster=CLUSTER)
        delays.append((perf_counter() - asked) * 1e3)
        await asyncio.sleep(max(0.0, 1 - (perf_counter() - asked)))


def percentile(values: list[float], percent: int) -> float:
    """The value that so many percent of them do not exceed."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]
