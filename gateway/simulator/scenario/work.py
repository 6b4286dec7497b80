"""What runs on the demo fleet, as a list: who asks for how many pods of which devices, and where they go."""

import enum
from dataclasses import dataclass, field

from gateway.simulator.scenario.hardware import BATCH_TAINT, GPU, NOTEBOOKS_TAINT, SHARED_GPU
from gateway.simulator.store import Json

ANY_GPU: Json = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
"""What all pods of the demo tolerate."""


class Form(enum.Enum):
    """What makes the pods, which is seen in their names and owners."""

    GANG = "Job"
    SERVICE = "ReplicaSet"
    BARE = "Pod"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Some equal pods of one workspace."""

    queue: str
    """The queue; the namespace is called the same unless one is given."""
    name: str
    pods: int
    devices: int
    """Devices of each pod."""
    on: tuple[str, ...]
    """Machines that it may be placed on, in the order in which they are filled."""
    resource: str = GPU
    form: Form = Form.SERVICE
    cpus: int = 8
    memory_gib: int = 64
    other_namespace: str = ""
    scheduler: str = "volcano"
    passing: bool = False
    """Whether its pods come and go."""
    spec: dict[str, Json] = field(default_factory=dict)
    """What else its pods say, in place of what pods of the demo say otherwise."""
    says: str = ""
    """Why it is never placed, in its scheduler's words; empty: it waits for room alone."""

    @property
    def namespace(self) -> str:
        """Where its pods are."""
        return self.other_namespace or self.queue


def _machines(prefix: str, *numbers: int) -> tuple[str, ...]:
    return tuple(f"gpu-{prefix}-{number:02}" for number in numbers)


def _mig(profile: str) -> str:
    return f"nvidia.com/mig-{profile}"


def _gang(queue: str, name: str, pods: int, devices: int, on: tuple[str, ...]) -> Work:
    return Work(
        queue=queue, name=name, pods=pods, devices=devices, on=on, form=Form.GANG, cpus=96, memory_gib=800
    )


WORK = (
    _gang("vision-training", "vit-large", 3, 8, _machines("h100", 1, 2, 3)),
    # Waits: four machines asked, and the fourth is held in part by its own tenant's evaluation.
    _gang("vision-training", "vit-huge", 4, 8, _machines("h100", 1, 2, 3, 4)),
    _gang("vision-evaluation", "imagenet-eval", 1, 4, _machines("h100", 4)),
    Work(
        queue="vision-evaluation",
        name="clip-eval",
        pods=6,
        devices=1,
        on=_machines("a100", 1, 2),
        resource=_mig("3g.40gb"),
        passing=True,
    ),
    Work(
        queue="vision-evaluation",
        name="detector-eval",
        pods=9,
        devices=1,
        on=_machines("a100", 1, 2),
        resource=_mig("2g.20gb"),
        passing=True,
    ),
    Work(
        queue="vision-labeling",
        name="labeler",
        pods=22,
        devices=1,
        on=_machines("a100", 1, 2),
        resource=_mig("1g.10gb"),
        cpus=4,
        memory_gib=13,
    ),
    _gang("language-pretraining", "llm-70b", 3, 8, _machines("h200", 1, 2, 3)),
    _gang("language-finetuning", "sft-8b", 2, 8, _machines("h100", 6, 7)),
    Work(
        queue="language-finetuning",
        name="adapter",
        pods=2,
        devices=1,
        on=_machines("h100", 5),
        other_namespace="language-finetuning-dev",
        passing=True,
    ),
    Work(queue="language-serving", name="chat", pods=4, devices=1, on=_machines("h100", 5), cpus=16),
    Work(
        queue="robotics-simulation",
        name="sim-worker",
        pods=41,
        devices=1,
        on=_machines("a100", 3),
        resource=_mig("1g.10gb"),
        cpus=4,
        memory_gib=16,
        passing=True,
    ),
    _gang("robotics-perception", "lidar-fusion", 1, 4, _machines("a100", 5)),
    Work(
        queue="robotics-perception",
        name="segmenter",
        pods=5,
        devices=1,
        on=_machines("a100", 6),
        passing=True,
    ),
    Work(
        queue="robotics-perception",
        name="perception-api",
        pods=6,
        devices=1,
        on=_machines("a100", 5),
        resource=_mig("3g.40gb"),
    ),
    Work(queue="robotics-notebooks", name="jupyter", pods=3, devices=1, on=_machines("t4", 4), cpus=4),
    Work(
        queue="robotics-notebooks",
        name="jupyter-shared",
        pods=7,
        devices=1,
        on=_machines("t4", 5),
        resource=SHARED_GPU,
        cpus=2,
        memory_gib=13,
        passing=True,
        spec={"tolerations": [ANY_GPU, {"operator": "Equal", **NOTEBOOKS_TAINT}]},
    ),
    Work(
        queue="search-ranking",
        name="ranker",
        pods=24,
        devices=1,
        on=_machines("t4", 1, 2),
        cpus=2,
        memory_gib=8,
    ),
    Work(
        queue="search-embeddings",
        name="embedder",
        pods=47,
        devices=1,
        on=_machines("a100", 7),
        cpus=4,
        memory_gib=16,
        passing=True,
    ),
    Work(queue="search-embeddings", name="reindex", pods=3, devices=1, on=_machines("a100", 8)),
    Work(
        queue="search-canary", name="canary", pods=3, devices=1, on=_machines("t4", 3), cpus=2, memory_gib=8
    ),
    # A node that is Slurm's, and idle to it, is busy with this: placed by hand, past the taint.
    Work(
        queue="language-finetuning",
        name="debug-nccl",
        pods=1,
        devices=4,
        on=_machines("h100", 11),
        other_namespace="language-finetuning-dev",
        form=Form.BARE,
        scheduler="default-scheduler",
        spec={"tolerations": [ANY_GPU, {"operator": "Equal", **BATCH_TAINT}]},
    ),
)
"""In all, gpu-h100-08 gets nothing from Kubernetes: a job of Slurm holds it all the same."""
