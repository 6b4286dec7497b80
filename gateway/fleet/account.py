"""The account: what there is, what was given, what is left. docs/accounting.md names the rules."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from gateway.errors import System
from gateway.fleet.capacity import GpuBalance, SliceBalance
from gateway.fleet.cost import cost_of, price_at
from gateway.fleet.gpu import GpuType, Money, NodeGpus, Price
from gateway.fleet.mig import MigProfile, MigSlice
from gateway.fleet.node import Node
from gateway.fleet.platform import Target, Workspace
from gateway.fleet.sums import above, first_unknown, total
from gateway.fleet.terms import (
    LineKey,
    free_for_jobs,
    given_to_jobs,
    is_known_to,
    line_of,
    node_cards,
    partitioned_cards,
    schedulable_cards,
    target_of,
    usable_cards,
    used_cards,
)
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Count = int | Unknown


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
class Tariff:
    """What the platform calls GPU types, and what they cost now."""

    types: Mapping[str, GpuType]
    prices: Mapping[str, tuple[Price, ...]]
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """The machines of one GPU type and target that the target's system knows."""

    target: Target | None
    nodes: tuple[Node, ...]
    granted: int
    """What the platform gave to workspaces of this type."""
    silence: Unknown | None
    """Why machines may be missing, or be of another type."""

    def total(self, count: Callable[[Node], Maybe[int]]) -> Count:
        """Sum a number over the machines."""
        return self.silence or total((node.name, count(node)) for node in self.nodes)


def balances(holdings: Holdings, tariff: Tariff) -> tuple[GpuBalance, ...]:
    """Draw up the account: one line for each GPU type and target, sorted."""
    nodes: defaultdict[LineKey, list[Node]] = defaultdict(list)
    for node in holdings.nodes:
        if node.is_gpu_node and (isinstance(node.gpus, NodeGpus) or _may_have_gpus(node)):
            nodes[line_of(node)].append(node)
    granted = _granted(holdings.workspaces)
    for name in granted:
        nodes[name, Target.KUBERNETES]  # an allocation is shown, also where no card stands behind it
    silences = {target: _silence(holdings, target) for target in (None, *Target)}
    keys = sorted(nodes, key=lambda key: (key[0] is None, key[0] or "", key[1].value if key[1] else "~"))
    lines = {
        (name, target): _Line(
            target=target,
            nodes=tuple(node for node in nodes[name, target] if is_known_to(target, node)),
            granted=granted.get(name or "", 0),
            silence=silences[target],
        )
        for name, target in keys
    }
    return tuple(_balance(holdings.owner, name, line, tariff) for (name, _), line in lines.items())


def _may_have_gpus(node: Node) -> bool:
    """Whether a system is silent that would count its cards; a record alone makes no line of zeros."""
    return isinstance(node.gpus, Unknown) and is_known_to(target_of(node), node)


def _balance(owner: str, name: str | None, line: _Line, tariff: Tariff) -> GpuBalance:
    target = line.target
    physical, healthy, allocated = line.total(node_cards), line.total(usable_cards), _allocated(line)
    return GpuBalance(
        owner=owner,
        gpu_type=tariff.types[name] if name else None,
        target=target,
        unit=GpuUnit.CARD,
        physical=physical,
        healthy=healthy,
        schedulable=line.total(schedulable_cards),
        partitioned=line.total(partitioned_cards),
        allocated=allocated,
        used=line.total(lambda node: used_cards(node, target)),
        available=_available(line, healthy, allocated),
        deficit=None if allocated is None else above(allocated, healthy),
        slices=line.silence or slice_balances(line.nodes),
        cost_per_hour=_cost(name, line, physical, tariff),
    )


def _cost(name: str | None, line: _Line, physical: Count, tariff: Tariff) -> Maybe[Money]:
    if name is None:
        untyped = undetermined(System.PLATFORM, "cards of unknown type have no price")
        return line.silence or untyped
    return cost_of(physical, price_at(tariff.prices.get(name, ()), tariff.now))


def _allocated(line: _Line) -> Maybe[int]:
    """What the platform gave, or Slurm; the platform's word holds, whichever scheduler is silent."""
    if line.target is None:
        return None
    return line.granted if line.target is Target.KUBERNETES else line.total(given_to_jobs)


def _available(line: _Line, healthy: Count, allocated: Maybe[int]) -> Maybe[int]:
    if allocated is None:
        return None
    if line.target is Target.SLURM:
        return first_unknown(allocated, healthy) or line.total(free_for_jobs)
    return above(healthy, allocated)


def _granted(workspaces: Iterable[Workspace]) -> Mapping[str, int]:
    """Sum what the platform gave to workspaces, by GPU type."""
    granted: defaultdict[str, int] = defaultdict(int)
    for workspace in workspaces:
        for allocation in workspace.allocations:
            granted[allocation.gpu_type] += allocation.cards
    return granted


def _silence(holdings: Holdings, target: Target | None) -> Unknown | None:
    """Why the lines of a target may lack machines: a system is silent about some of them, or their type."""
    if holdings.slurm_silence and target is not Target.KUBERNETES:
        return holdings.slurm_silence
    nodes = (node for node in holdings.nodes if target_of(node) is target and is_known_to(target, node))
    reasons = (first_unknown(node.gpus, _told_by(target, node)) for node in nodes)
    return next((reason for reason in reasons if reason and reason.is_silence), None)


def _told_by(target: Target | None, node: Node) -> object:
    if target is None:
        return None
    return node.slurm if target is Target.SLURM else node.kubernetes


def slice_balances(nodes: Iterable[Node]) -> tuple[SliceBalance, ...]:
    """Sum the slices of each profile over machines that no system is silent about."""
    groups: defaultdict[MigProfile, list[MigSlice]] = defaultdict(list)
    for node in nodes:
        for group in node.mig_slices if isinstance(node.mig_slices, tuple) else ():
            groups[group.profile].append(group)
    return tuple(_slices(profile, groups[profile]) for profile in sorted(groups, key=lambda one: one.name))


def _slices(profile: MigProfile, groups: list[MigSlice]) -> SliceBalance:
    def summed(count: Callable[[MigSlice], Maybe[int]]) -> Count:
        return total((group.node, _as_slices(group, count(group))) for group in groups)

    return SliceBalance(
        profile=profile,
        capacity=total((group.node, group.slices) for group in groups),
        allocatable=summed(lambda group: group.allocatable),
        requested=summed(lambda group: group.requested),
        free=summed(lambda group: group.free),
    )


def _as_slices(group: MigSlice, count: Maybe[int]) -> Maybe[int]:
    """A number of a group, where it counts slices and not shares of them."""
    if group.unit is GpuUnit.SLICE:
        return count
    return undetermined(System.KUBERNETES, f"{group.resource_name} counts shares of slices")
