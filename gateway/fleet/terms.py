"""What one machine adds to the lines of the account."""

from gateway.errors import System
from gateway.fleet.gpu import ExtendedResource, GpuType, NodeGpus
from gateway.fleet.health import takes_work
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.sums import above, total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Count = int | Unknown
LineKey = tuple[str | None, Target | None]
"""GPU type, target."""


def line_of(node: Node) -> LineKey:
    """Which line of the account a machine belongs to."""
    gpus = node.gpus
    kind = gpus.type.name if isinstance(gpus, NodeGpus) and isinstance(gpus.type, GpuType) else None
    return kind, target_of(node)


def target_of(node: Node) -> Target | None:
    """Which scheduler a machine serves; None where no record says."""
    return node.record.target if isinstance(node.record, NodeRecord) else None


def is_known_to(target: Target | None, node: Node) -> bool:
    """Whether the target's system knows a machine, or is silent; for no target, whether any does."""
    if target is Target.SLURM:
        return node.slurm is not None
    if target is Target.KUBERNETES:
        return node.kubernetes is not None
    return node.kubernetes is not None or node.slurm is not None


def node_cards(node: Node) -> Maybe[int]:
    """The physical cards of a machine."""
    return node.gpus.cards if isinstance(node.gpus, NodeGpus) else node.gpus


def usable_cards(node: Node) -> Maybe[int]:
    """The cards of a machine that work can use."""
    return node.health.usable_cards if isinstance(node.health, NodeHealth) else node.health


def partitioned_cards(node: Node) -> Maybe[int]:
    """The cards of a machine that are cut into slices."""
    return node.gpus.partitioned_cards if isinstance(node.gpus, NodeGpus) else node.gpus


def schedulable_cards(node: Node) -> Maybe[int]:
    """The usable cards of a machine, where the scheduler that it serves may place new work on it."""
    open_to_work = _takes_work(node)
    if isinstance(open_to_work, Unknown):
        return open_to_work
    return usable_cards(node) if open_to_work else 0


def used_cards(node: Node, target: Target | None) -> Count:
    """Count the whole cards that bound work of this target's scheduler holds; of any scheduler, for none."""
    by_pods = 0 if target is Target.SLURM else _held_by_pods(node)
    by_jobs = 0 if target is Target.KUBERNETES else given_to_jobs(node)
    return total((("pods", by_pods), ("jobs", by_jobs)))


def given_to_jobs(node: Node) -> Count:
    """Count the cards of a machine that Slurm gave to jobs."""
    if isinstance(node.jobs, Unknown):
        return node.jobs
    return total((job.job_id, _given(job, node.name)) for job in node.jobs)


def free_for_jobs(node: Node) -> Maybe[int]:
    """Count the cards of a machine that Slurm may still give."""
    return above(schedulable_cards(node), given_to_jobs(node))


def _takes_work(node: Node) -> bool | Unknown:
    target = target_of(node)
    by_slurm = target is Target.SLURM or (target is None and node.kubernetes is None)
    part = node.slurm if by_slurm else node.kubernetes
    if isinstance(part, Unknown):
        return part
    return isinstance(part, (KubernetesNode, SlurmNode)) and takes_work(part)


def _held_by_pods(node: Node) -> Count:
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else node.gpus
    if isinstance(resources, Unknown):
        return resources
    return total((one.name, _cards_asked(one)) for one in resources or ())


def _cards_asked(resource: ExtendedResource) -> Maybe[int]:
    """What is asked of a resource, where it counts whole cards."""
    if resource.unit is None and resource.requested != 0:
        return undetermined(System.KUBERNETES, "nothing tells whether it counts cards")
    return resource.requested if resource.unit is GpuUnit.CARD else 0


def _given(job: SlurmJob, node: str) -> Count:
    if isinstance(job.node_gpus, Unknown):
        return job.node_gpus
    return sum(cards for name, cards in job.node_gpus if name == node)
