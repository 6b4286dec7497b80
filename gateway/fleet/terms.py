"""What one machine adds to the lines of the account, piece by piece."""

from gateway.errors import System
from gateway.fleet.figure import UNTOLD, Ground, Piece
from gateway.fleet.gpu import ExtendedResource, GpuType, NodeGpus
from gateway.fleet.grounds import (
    CUT,
    GIVEN_TO_JOBS,
    HELD_BY_JOBS,
    HELD_BY_PODS,
    TAKEN_BY_JOBS,
    basis_of,
    closed_by,
    loss_of,
)
from gateway.fleet.health import takes_work
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.sums import total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Pieces = tuple[Piece, ...]
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


def told_by(target: Target | None, node: Node) -> Maybe[KubernetesNode | SlurmNode]:
    """What the target's system says of a machine; for no target Kubernetes, else Slurm."""
    if target is Target.SLURM:
        return node.slurm
    if target is Target.KUBERNETES:
        return node.kubernetes
    return node.slurm if node.kubernetes is None else node.kubernetes


def is_known_to(target: Target | None, node: Node) -> bool:
    """Whether the target's system knows a machine, or is silent; for no target, whether any does."""
    return told_by(target, node) is not None


def node_cards(node: Node) -> Maybe[int]:
    """The physical cards of a machine."""
    return node.gpus.cards if isinstance(node.gpus, NodeGpus) else node.gpus


def usable_cards(node: Node) -> Maybe[int]:
    """The cards of a machine that work can use."""
    return node.health.usable_cards if isinstance(node.health, NodeHealth) else node.health


def physical_pieces(node: Node) -> Pieces:
    """The cards of a machine, by the rule that counts them."""
    gpus = node.gpus
    if not isinstance(gpus, NodeGpus):
        return _untold(gpus, node)
    if isinstance(gpus.cards, Unknown):
        return _untold(gpus.cards, node)
    return (Piece(basis_of(gpus), gpus.cards, node),)


def healthy_pieces(node: Node) -> Pieces:
    """The cards of a machine, less those that work cannot use."""
    cards, usable = node_cards(node), usable_cards(node)
    if not isinstance(usable, int) or not isinstance(node.health, NodeHealth):
        return _untold(usable, node)
    if usable == cards:
        return physical_pieces(node)
    if not isinstance(cards, int):
        return (Piece(loss_of(node.health), usable, node),)
    return (*physical_pieces(node), Piece(loss_of(node.health), usable - cards, node))


def schedulable_pieces(node: Node) -> Pieces:
    """The usable cards of a machine, where the scheduler that it serves may place new work on it."""
    part, usable = told_by(target_of(node), node), usable_cards(node)
    if part is None or isinstance(part, Unknown):
        return _untold(part, node)
    if takes_work(part) or usable == 0:
        return healthy_pieces(node)
    if not isinstance(usable, int):
        return (Piece(closed_by(part), 0, node),)  # nothing, however many cards it has
    return (*healthy_pieces(node), Piece(closed_by(part), -usable, node))


def partitioned_pieces(node: Node) -> Pieces:
    """The cards of a machine that are cut into slices."""
    cut = node.gpus.partitioned_cards if isinstance(node.gpus, NodeGpus) else node.gpus
    return _counted(CUT, cut, node)


def used_pieces(node: Node, target: Target | None) -> Pieces:
    """The whole cards that bound work of this target's scheduler holds; of any scheduler, for none."""
    by_pods = () if target is Target.SLURM else _counted(HELD_BY_PODS, held_by_pods(node), node)
    by_jobs = () if target is Target.KUBERNETES else _pieces_of_jobs(HELD_BY_JOBS, node)
    return (*by_pods, *by_jobs)


def allocated_pieces(node: Node) -> Pieces:
    """The cards of a machine that Slurm gave to jobs."""
    return _pieces_of_jobs(GIVEN_TO_JOBS, node)


def available_pieces(node: Node) -> Pieces:
    """What Slurm may still give of a machine: nothing of one that takes no new work."""
    pieces = schedulable_pieces(node)
    placeable = total((piece.ground.label, piece.cards) for piece in pieces)
    if isinstance(placeable, Unknown) or not placeable:
        return pieces
    given = given_to_jobs(node)
    if isinstance(given, Unknown):
        return _untold(given, node)
    return (*pieces, *_counted(TAKEN_BY_JOBS, -min(placeable, given), node))


def held_by_pods(node: Node) -> Maybe[int]:
    """Count the whole cards of a machine that bound pods hold."""
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else node.gpus
    if isinstance(resources, Unknown):
        return resources
    return total((one.name, _cards_asked(one)) for one in resources or ())


def given_to_jobs(node: Node) -> int | Unknown:
    """Count the cards of a machine that Slurm gave to jobs."""
    if isinstance(node.jobs, Unknown):
        return node.jobs
    return total((job.job_id, _given(job, node.name)) for job in node.jobs)


def _counted(ground: Ground, cards: Maybe[int], node: Node) -> Pieces:
    """A number of cards as a piece, where it is one."""
    if isinstance(cards, Unknown):
        return _untold(cards, node)
    return (Piece(ground, cards, node),) if cards else ()


def _untold(reason: object, node: Node) -> Pieces:
    """Say why a machine's part of a number is not known; nothing where there is no such part."""
    return (Piece(UNTOLD, reason, node),) if isinstance(reason, Unknown) else ()


def _pieces_of_jobs(ground: Ground, node: Node) -> Pieces:
    given = given_to_jobs(node)
    if isinstance(given, Unknown) or isinstance(node.jobs, Unknown):
        return _untold(given, node)
    held = ((job, _given(job, node.name)) for job in node.jobs)
    return tuple(Piece(ground, cards, job) for job, cards in held if cards)


def _cards_asked(resource: ExtendedResource) -> Maybe[int]:
    """What is asked of a resource, where it counts whole cards."""
    if resource.unit is None and resource.requested != 0:
        return undetermined(System.KUBERNETES, "nothing tells whether it counts cards")
    return resource.requested if resource.unit is GpuUnit.CARD else 0


def _given(job: SlurmJob, node: str) -> int | Unknown:
    if isinstance(job.node_gpus, Unknown):
        return job.node_gpus
    return sum(cards for name, cards in job.node_gpus if name == node)
