"""One line of an account: the machines of one GPU type and target, and each of its numbers with its terms."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

from gateway.fleet.figure import Figure, Piece, Term, added, difference, summed
from gateway.fleet.grounds import BEYOND, LEFT, LEFT_BY_SLURM, UNSEEN, given_to
from gateway.fleet.node import Node
from gateway.fleet.platform import Target, Workspace
from gateway.fleet.terms import (
    allocated_pieces,
    available_pieces,
    healthy_pieces,
    partitioned_pieces,
    physical_pieces,
    schedulable_pieces,
    used_pieces,
)
from gateway.fleet.unknown import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What an account is drawn up over: the machines and workspaces of one owner."""

    owner: str
    """A cluster or a tenant, as its id."""
    nodes: tuple[Node, ...]
    workspaces: tuple[Workspace, ...]
    slurm_silence: Unknown | None
    """Why machines that only Slurm knows may be missing among the nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The machines of one GPU type and target that the target's system knows."""

    gpu_type: str | None
    target: Target | None
    nodes: tuple[Node, ...]
    unheard: tuple[Piece, ...]
    """Machines that the target's system may know, and is silent about."""
    holdings: Holdings
    """All that the account is drawn up over."""
    silence: Unknown | None
    """Why machines may be missing, or be of another type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The numbers of a line."""

    physical: Figure
    healthy: Figure
    schedulable: Figure
    partitioned: Figure
    allocated: Figure
    used: Figure
    available: Figure
    deficit: Figure


_NEITHER = Figure(
    formula="no number: cards that no record assigns are neither given nor to be given", terms=(), value=None
)


def figures(line: Line) -> Figures:
    """Sum each number of a line over its machines and over what was given of them."""
    healthy = _over(line, "the cards of its machines, less those that work cannot use", healthy_pieces)
    allocated = _allocated(line)
    return Figures(
        physical=_over(line, "the cards of the machines that its target's system knows", physical_pieces),
        healthy=healthy,
        schedulable=_over(line, "the healthy cards of machines that take new work", schedulable_pieces),
        partitioned=_over(line, "the cards that are cut into slices", partitioned_pieces),
        allocated=allocated,
        used=_over(
            line, "the whole cards that bound work holds", lambda node: used_pieces(node, line.target)
        ),
        available=_available(line, healthy, allocated),
        deficit=_deficit(line, healthy, allocated),
    )


def _over(line: Line, formula: str, pieces: Callable[[Node], Iterable[Piece]]) -> Figure:
    """Add up what each machine adds; nothing is known of one that the target's system is silent about."""
    counted = chain.from_iterable(map(pieces, line.nodes))
    unseen = (Term(ground=UNSEEN, told=line.silence),) if line.silence else ()
    return added(formula, (*summed(chain(counted, line.unheard)), *unseen))


def _allocated(line: Line) -> Figure:
    """What the platform gave, or Slurm; the platform's word holds, whichever scheduler is silent."""
    if line.target is None:
        return _NEITHER
    if line.target is Target.SLURM:
        return _over(line, "the cards that Slurm gave to jobs", allocated_pieces)
    given = (
        Piece(given_to(workspace), allocation.cards, workspace)
        for workspace in line.holdings.workspaces
        for allocation in workspace.allocations
        if allocation.gpu_type == line.gpu_type
    )
    return added("the cards that the platform gave to workspaces", summed(given))


def _available(line: Line, healthy: Figure, allocated: Figure) -> Figure:
    if line.target is None:
        return _NEITHER
    if line.target is Target.SLURM:
        formula = "machine by machine: the schedulable cards, less those given to jobs, never below 0"
        return _over(line, formula, available_pieces)
    return difference("healthy - allocated, never below 0", healthy, allocated, BEYOND)


def _deficit(line: Line, healthy: Figure, allocated: Figure) -> Figure:
    if line.target is None:
        return _NEITHER
    rest = LEFT_BY_SLURM if line.target is Target.SLURM else LEFT
    return difference("allocated - healthy, never below 0", allocated, healthy, rest)
