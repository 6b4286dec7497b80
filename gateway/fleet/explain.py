"""A number of the account taken apart: its terms, and everything that was left out of it."""

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.capacity import GpuBalance
from gateway.fleet.figure import Figure, Subject
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.line import Figures, Line
from gateway.fleet.node import Node
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.terms import given_to_jobs, held_by_pods, line_of, node_cards, target_of, told_by
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown


class BalanceField(enum.Enum):
    """The numbers of a line of the account."""

    PHYSICAL = "PHYSICAL"
    HEALTHY = "HEALTHY"
    SCHEDULABLE = "SCHEDULABLE"
    PARTITIONED = "PARTITIONED"
    ALLOCATED = "ALLOCATED"
    USED = "USED"
    AVAILABLE = "AVAILABLE"
    DEFICIT = "DEFICIT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Something that a number does not count, and why."""

    subject: Subject | None
    """None: machines that nobody tells of."""
    count: int | None
    """How many of what the reason names; None where that is not known."""
    system: System
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a number came about."""

    figure: Figure
    line: Line
    field: BalanceField

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        """All that is left out; looked for only where it is asked for."""
        left_out = [*_silent(self.figure), *_untold(self.figure)]
        if self.figure.value is not None:
            left_out += _of_machines(self.line, self.field)
        return _in_order(left_out)

    @property
    def excluded_count(self) -> int:
        """How many things are left out."""
        return len(self.excluded)


_UNITS = {
    GpuUnit.SLICE: "slices",
    GpuUnit.SHARE: "shares",
    GpuUnit.CORE: "cores",
    GpuUnit.MEMORY: "memory",
}
_OF_WHAT_IS_THERE = {BalanceField.PARTITIONED, BalanceField.USED}
"""Numbers to which cards that are only claimed would add nothing."""
_FIGURES: Mapping[BalanceField, Callable[[Figures], Figure]] = {
    BalanceField.PHYSICAL: lambda figures: figures.physical,
    BalanceField.HEALTHY: lambda figures: figures.healthy,
    BalanceField.SCHEDULABLE: lambda figures: figures.schedulable,
    BalanceField.PARTITIONED: lambda figures: figures.partitioned,
    BalanceField.ALLOCATED: lambda figures: figures.allocated,
    BalanceField.USED: lambda figures: figures.used,
    BalanceField.AVAILABLE: lambda figures: figures.available,
    BalanceField.DEFICIT: lambda figures: figures.deficit,
}


def explain(balance: GpuBalance, field: BalanceField) -> Explanation:
    """Take one number of a line apart."""
    return Explanation(figure=_FIGURES[field](balance.figures), line=balance.line, field=field)


def _in_order(left_out: list[Exclusion]) -> tuple[Exclusion, ...]:
    """Each once, by name: what two terms lack is left out for one reason."""
    by_name = {
        (one.subject.name if one.subject else "", one.subject.id if one.subject else "", one.reason): one
        for one in left_out
    }
    return tuple(by_name[key] for key in sorted(by_name))


def _silent(figure: Figure) -> Iterator[Exclusion]:
    for term in figure.terms:
        if isinstance(term.told, Unknown) and not term.subjects:
            yield Exclusion(subject=None, count=None, system=term.system, reason=term.told.reason)


def _untold(figure: Figure) -> Iterator[Exclusion]:
    """List what a number needs and nobody knows."""
    for term in figure.terms:
        for subject, unknown in zip(term.subjects, term.reasons, strict=False):
            yield Exclusion(subject=subject, count=None, system=unknown.system, reason=unknown.reason)


def _of_machines(line: Line, field: BalanceField) -> Iterator[Exclusion]:
    if field is BalanceField.ALLOCATED and line.target is Target.KUBERNETES:
        return  # no machine has a part in what the platform gave
    for node in line.holdings.nodes:
        if target_of(node) is line.target:
            yield from _orphaned(line, node) if field not in _OF_WHAT_IS_THERE else ()
            yield from _untyped(line, node)
    if field is BalanceField.USED:
        for node in line.nodes:
            yield from _not_cards(node, line.target)
            yield from _held_by_the_other(node, line.target)


def _orphaned(line: Line, node: Node) -> Iterator[Exclusion]:
    """A record of this target and type whose machine the target's system does not know."""
    record = node.record
    if not isinstance(record, NodeRecord) or told_by(line.target, node) is not None:
        return
    if (line_of(node)[0] or record.claimed_gpu_type) in {None, line.gpu_type}:
        said = (
            f"says {record.target.value}, which does not know it" if record.target else "is all that names it"
        )
        yield Exclusion(
            subject=node, count=record.claimed_cards, system=System.PLATFORM, reason=f"its record {said}"
        )


def _untyped(line: Line, node: Node) -> Iterator[Exclusion]:
    """A machine of this target that may be of this type."""
    kind = node.gpus.type if isinstance(node.gpus, NodeGpus) else node.gpus
    if line.gpu_type is not None and isinstance(kind, Unknown) and told_by(line.target, node) is not None:
        said = f"its GPU type is not known: {kind.reason}"
        yield Exclusion(subject=node, count=_known(node_cards(node)), system=kind.system, reason=said)


def _not_cards(node: Node, target: Target | None) -> Iterator[Exclusion]:
    """What pods hold of a machine in slices and shares."""
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else ()
    if target is Target.SLURM or not isinstance(resources, tuple):
        return
    for one in resources:
        if one.requested and one.unit in _UNITS:
            said = f"pods hold {one.name}, which counts {_UNITS[one.unit]} here and not cards"
            yield Exclusion(subject=node, count=_known(one.requested), system=System.KUBERNETES, reason=said)


def _held_by_the_other(node: Node, target: Target | None) -> Iterator[Exclusion]:
    """Cards that work of the scheduler holds which the machine does not serve."""
    if target is None:
        return
    by_jobs = target is Target.KUBERNETES
    held = given_to_jobs(node) if by_jobs else held_by_pods(node)
    if held:
        said = f"held by {'Slurm jobs' if by_jobs else 'pods'}, and its record says {target.value}"
        system = System.SLURM if by_jobs else System.KUBERNETES
        yield Exclusion(subject=node, count=_known(held), system=system, reason=said)


def _known(count: Maybe[int]) -> int | None:
    return count if isinstance(count, int) else None
