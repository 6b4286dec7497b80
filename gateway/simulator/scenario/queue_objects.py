"""Volcano's queues, one for each workspace below one for each tenant, and what is counted in them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gateway.simulator.scenario.node_objects import stamp, uid
from gateway.simulator.scenario.pod_objects import Pod
from gateway.simulator.store import Json

_GPU = "nvidia.com/gpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What an administrator wrote of a queue."""

    name: str
    parent: str = "root"
    deserved: dict[str, str | int] = field(default_factory=dict)
    capability: dict[str, str | int] = field(default_factory=dict)
    guarantee: dict[str, str | int] = field(default_factory=dict)
    reclaimable: bool | None = None
    claims: dict[str, str] = field(default_factory=dict)
    """What status.allocated says of a resource, whatever runs: a lie."""


def _leaf(
    tenant: str,
    workspace: str,
    deserved: dict[str, str | int],
    capability: dict[str, str | int] | None = None,
) -> Queue:
    name = f"{tenant}-{workspace}"
    return Queue(name=name, parent=tenant, deserved=deserved, capability=capability or {})


QUEUES = (
    Queue(name="root", parent="", reclaimable=False),
    Queue(name="default"),
    *(Queue(name=tenant) for tenant in ("vision", "language", "robotics", "search")),
    Queue(
        name="vision-training",
        parent="vision",
        deserved={"cpu": 384, "memory": "3200Gi", _GPU: 24},
        capability={_GPU: 32},
        guarantee={_GPU: 16},
    ),
    _leaf("vision", "evaluation", {"cpu": 200, "memory": "1600Gi", _GPU: 4, "nvidia.com/mig-3g.40gb": 8}),
    _leaf("vision", "labeling", {"cpu": 100, "memory": "400Gi", "nvidia.com/mig-1g.10gb": 24}),
    _leaf("language", "pretraining", {"cpu": 400, "memory": "3200Gi", _GPU: 28}, capability={_GPU: 32}),
    _leaf("language", "finetuning", {"cpu": 300, "memory": "2400Gi", _GPU: 18}),
    # An amount of memory stands where the scheduler counts GPUs.
    Queue(
        name="language-serving",
        parent="language",
        deserved={"cpu": 96, "memory": "512Gi", _GPU: 6},
        reclaimable=False,
        claims={_GPU: "13Gi"},
    ),
    _leaf("robotics", "simulation", {"cpu": 200, "memory": "800Gi", "nvidia.com/mig-1g.10gb": 56}),
    # Lists no GPU at all: what it asks of them is never reclaimed, or never given back.
    _leaf("robotics", "perception", {"cpu": 200, "memory": "1600Gi"}, capability={_GPU: 12}),
    _leaf("robotics", "notebooks", {"cpu": 32, "memory": "128Gi", _GPU: 4, "nvidia.com/gpu.shared": 8}),
    _leaf("search", "ranking", {"cpu": 64, "memory": "256Gi", _GPU: 32}),
    _leaf("search", "embeddings", {"cpu": 256, "memory": "1Ti", _GPU: 60}, capability={_GPU: 60}),
    # Its scheduler still counts two pods that are gone.
    Queue(
        name="search-canary",
        parent="search",
        deserved={"cpu": 16, "memory": "64Gi", _GPU: 4},
        claims={_GPU: "5"},
    ),
)


def queue_object(queue: Queue, pods: Iterable[Pod], began: datetime) -> Json:
    """The Queue, with what the pods that the scheduler counts in it hold."""
    spec: dict[str, Json] = {"weight": 1, "dequeueStrategy": "traverse"}
    for key in ("parent", "deserved", "capability", "reclaimable"):
        value = getattr(queue, key)
        if value not in ("", {}, None):
            spec[key] = value
    if queue.guarantee:
        spec["guarantee"] = {"resource": queue.guarantee}
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {
            "name": queue.name,
            "uid": uid("queue", queue.name),
            "creationTimestamp": stamp(began - timedelta(days=80)),
        },
        "spec": spec,
        "status": {"state": "Open", "reservation": {}, "allocated": _allocated(pods) | queue.claims},
    }


def _allocated(pods: Iterable[Pod]) -> dict[str, str]:
    """Sums as Volcano writes them: cpu and memory always, other resources where a pod names them."""
    held = list(pods)
    devices: Counter[str] = Counter()
    for pod in held:
        devices[pod.work.resource] += pod.work.devices
    memory = sum(pod.work.memory_gib for pod in held)
    return {
        "cpu": str(sum(pod.work.cpus for pod in held)),
        "memory": f"{memory}Gi" if memory else "0",
        **{resource: str(count) for resource, count in devices.items()},
        **({"pods": str(len(held))} if held else {}),
    }
