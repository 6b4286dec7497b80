"""The account: what there is, what was given, what is left. docs/accounting.md names the rules."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from gateway.errors import System
from gateway.fleet.capacity import GpuBalance, SliceBalance
from gateway.fleet.cost import cost_of, price_at
from gateway.fleet.figure import UNTOLD, Piece
from gateway.fleet.gpu import GpuType, Money, NodeGpus, Price
from gateway.fleet.line import Holdings, Line, figures
from gateway.fleet.mig import MigProfile, MigSlice
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.platform import Target, Workspace
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.sums import first_unknown, total
from gateway.fleet.terms import LineKey, is_known_to, line_of, target_of, told_by
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Count = int | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """What the platform calls GPU types, and what they cost now."""

    types: Mapping[str, GpuType]
    prices: Mapping[str, tuple[Price, ...]]
    now: datetime


def balances(holdings: Holdings, tariff: Tariff) -> tuple[GpuBalance, ...]:
    """Draw up the account: one line for each GPU type and target, sorted."""
    nodes: defaultdict[LineKey, list[Node]] = defaultdict(list)
    for node in holdings.nodes:
        if node.is_gpu_node and (isinstance(node.gpus, NodeGpus) or _may_have_gpus(node)):
            nodes[line_of(node)].append(node)
    for name in _granted(holdings.workspaces):
        nodes[name, Target.KUBERNETES]  # an allocation is shown, also where no card stands behind it
    silences = {target: _silence(holdings, target) for target in (None, *Target)}
    keys = sorted(nodes, key=lambda key: (key[0] is None, key[0] or "", key[1].value if key[1] else "~"))
    return tuple(_balance(_line(key, nodes[key], holdings, silences[key[1]]), tariff) for key in keys)


def _line(key: LineKey, nodes: Iterable[Node], holdings: Holdings, silence: Unknown | None) -> Line:
    name, target = key
    told = [(node, told_by(target, node)) for node in nodes]
    return Line(
        gpu_type=name,
        target=target,
        nodes=tuple(node for node, part in told if isinstance(part, (KubernetesNode, SlurmNode))),
        unheard=tuple(Piece(UNTOLD, part, node) for node, part in told if isinstance(part, Unknown)),
        holdings=holdings,
        silence=silence,
    )


def _may_have_gpus(node: Node) -> bool:
    """Whether a system is silent that would count its cards; a record alone makes no line of zeros."""
    return isinstance(node.gpus, Unknown) and is_known_to(target_of(node), node)


def _balance(line: Line, tariff: Tariff) -> GpuBalance:
    name = line.gpu_type
    drawn = figures(line)
    return GpuBalance(
        owner=line.holdings.owner,
        gpu_type=tariff.types[name] if name else None,
        target=line.target,
        unit=GpuUnit.CARD,
        figures=drawn,
        slices=line.silence or slice_balances(line.nodes),
        cost_per_hour=_cost(line, drawn.physical.value, tariff),
        line=line,
    )


def _cost(line: Line, physical: Maybe[int], tariff: Tariff) -> Maybe[Money]:
    if line.gpu_type is None:
        untyped = undetermined(System.PLATFORM, "cards of unknown type have no price")
        return line.silence or untyped
    return cost_of(physical, price_at(tariff.prices.get(line.gpu_type, ()), tariff.now))


def _granted(workspaces: Iterable[Workspace]) -> set[str]:
    """Name the GPU types that the platform gave to workspaces."""
    return {allocation.gpu_type for workspace in workspaces for allocation in workspace.allocations}


def _silence(holdings: Holdings, target: Target | None) -> Unknown | None:
    """Why the lines of a target may lack machines: a system is silent about some of them, or their type."""
    if holdings.slurm_silence and target is not Target.KUBERNETES:
        return holdings.slurm_silence
    nodes = (node for node in holdings.nodes if target_of(node) is target and is_known_to(target, node))
    reasons = (first_unknown(node.gpus, told_by(target, node)) for node in nodes)
    return next((reason for reason in reasons if reason and reason.is_silence), None)


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
