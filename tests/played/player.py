"""Plays generated fleets on a real kube-scheduler and writes down what it says of each pod that asks."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tests.played.generator import NAMESPACES, PRIORITIES, Generated, Json
from tests.servers.cluster import scheduler_config
from tests.servers.control_plane import MERGE_PATCH, ControlPlane, Refusal
from tests.servers.process import Process

_AT_ONCE = {"gracePeriodSeconds": 0}
_MOST_SECONDS = 20


@asynccontextmanager
async def running_scheduler(programs: Path, folder: Path, control_plane: ControlPlane) -> AsyncIterator[None]:
    """A kube-scheduler in its default configuration, and the namespaces and priorities that pods name."""
    config = folder / "scheduler.json"
    config.write_text(json.dumps(scheduler_config(control_plane.kubeconfig)))
    command = [programs / "kube-scheduler", f"--config={config}", "--secure-port=0"]
    scheduler = Process("kube-scheduler", command, folder=folder)
    for name, labels in NAMESPACES.items():
        await control_plane.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
    for name, value in PRIORITIES.items():
        priority = {"metadata": {"name": name}, "value": value}
        await control_plane.create("/apis/scheduling.k8s.io/v1/priorityclasses", priority)
    scheduler.start()
    try:
        yield
    finally:
        scheduler.kill()


async def play(api: ControlPlane, generated: Generated) -> Json:
    """Set a fleet up, let every pod ask alone, take all away again; what was there and what was said."""
    for node in generated.nodes:
        await _create_node(api, node)
    for pod in generated.pods:
        await _run(api, pod)
    there = {kind: [_bare(one) for one in await _list(api, kind)] for kind in ("nodes", "pods")}
    asks = [said for ask in generated.asks if (said := await _hear(api, ask))]
    await _take_away(api)
    return {**there, "asks": asks}


async def _create_node(api: ControlPlane, node: Json) -> None:
    """Admission taints a new node as not ready, so its taints are set once more."""
    await api.create("/api/v1/nodes", node)
    path = f"/api/v1/nodes/{node['metadata']['name']}"
    await api.request("PATCH", path, {"spec": {"taints": node["spec"]["taints"] or None}}, MERGE_PATCH)


async def _run(api: ControlPlane, pod: Json) -> None:
    await api.create(_pods(pod), pod)
    if "finalizers" in pod["metadata"]:
        await api.request("DELETE", _path(pod))


async def _hear(api: ControlPlane, ask: Json) -> Json | None:
    """What the scheduler says of a pod; None where the API server does not take it."""
    try:
        stored = await api.create(_pods(ask), ask)
    except Refusal:
        return None
    async with asyncio.timeout(_MOST_SECONDS):
        while not (condition := _scheduled(found := await api.request("GET", _path(ask)))):  # noqa: ASYNC110  the server sets no event
            await asyncio.sleep(0.02)
    await api.request("DELETE", _path(ask), _AT_ONCE)
    bound = found["spec"].get("nodeName")
    return {"pod": _bare(stored), "boundTo": bound, "message": None if bound else condition["message"]}


def _scheduled(pod: Json) -> Any:
    conditions = pod["status"].get("conditions", ())
    return next((one for one in conditions if one["type"] == "PodScheduled"), None)


async def _take_away(api: ControlPlane) -> None:
    for pod in await _list(api, "pods"):
        if "finalizers" in pod["metadata"]:
            await api.request("PATCH", _path(pod), {"metadata": {"finalizers": None}}, MERGE_PATCH)
        with suppress(Refusal):  # a terminating pod is gone with its last finalizer
            await api.request("DELETE", _path(pod), _AT_ONCE)
    for node in await _list(api, "nodes"):
        await api.request("DELETE", f"/api/v1/nodes/{node['metadata']['name']}")


async def _list(api: ControlPlane, kind: str) -> list[Json]:
    items: list[Json] = (await api.request("GET", f"/api/v1/{kind}"))["items"]
    return items


def _bare(stored: Json) -> Json:
    return {
        **stored,
        "metadata": {key: value for key, value in stored["metadata"].items() if key != "managedFields"},
    }


def _pods(pod: Json) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"


def _path(pod: Json) -> str:
    return f"{_pods(pod)}/{pod['metadata']['name']}"
