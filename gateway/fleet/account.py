"""The account: what there is, what was given, what is left. docs/accounting.md names the rules."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from gateway.errors import System
from gateway.fleet.capacity import GpuBalance, SliceBalance
from gateway.fleet.cost import cost_of, price_at
from gateway.fleet.gpu import GpuType, NodeGpus, Price
from gateway.fleet.health import takes_work
from gateway.fleet.mig import MigProfile, MigSlice
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.platform import NodeRecord, Target, Workspace
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.sums import above, first_unknown, total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Count = int | Unknown
LineKey = tuple[str | None, Target | None]
"""GPU type, target."""


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


def balances(holdings: Holdings, tariff: Tariff) -> tuple[GpuBalance, ...]:
    """Draw up the account: one line for each GPU type and target, sorted."""
    nodes: defaultdict[LineKey, list[Node]] = defaultdict(list)
    for node in holdings.nodes:
        if node.is_gpu_node and node.gpus is not None:
            nodes[line_of(node)].append(node)
    granted = _granted(holdings.workspaces)
    for name in granted:
        nodes[name, Target.KUBERNETES]  # an allocation is shown, also where no card stands behind it
    keys = sorted(nodes, key=lambda key: (key[0] is None, key[0] or "", key[1].value if key[1] else "~"))
    return tuple(_line(key, nodes[key], granted, holdings, tariff) for key in keys)


def line_of(node: Node) -> LineKey:
    """Which line of the account a machine belongs to."""
    gpus, record = node.gpus, node.record
    kind = gpus.type.name if isinstance(gpus, NodeGpus) and isinstance(gpus.type, GpuType) else None
    return kind, record.target if isinstance(record, NodeRecord) else None


def node_cards(node: Node) -> Maybe[int]:
    """The physical cards of a machine."""
    return node.gpus.cards if isinstance(node.gpus, NodeGpus) else node.gpus


def _line(
    key: LineKey, nodes: list[Node], granted: Mapping[str, int], holdings: Holdings, tariff: Tariff
) -> GpuBalance:
    name, target = key
    known = [node for node in nodes if _is_known_to_target(node, target)]
    silence = None if target is Target.KUBERNETES else holdings.slurm_silence
    physical = silence or total((node.name, node_cards(node)) for node in known)
    healthy = silence or total((node.name, _usable(node)) for node in known)
    allocated = _allocated(target, known, granted.get(name or "", 0), silence)
    price = price_at(tariff.prices.get(name, ()), tariff.now) if name else None
    return GpuBalance(
        owner=holdings.owner,
        gpu_type=tariff.types.get(name) if name else None,
        target=target,
        unit=GpuUnit.CARD,
        physical=physical,
        healthy=healthy,
        schedulable=silence or total((node.name, _schedulable(node)) for node in known),
        partitioned=silence or total((node.name, _partitioned(node)) for node in known),
        allocated=allocated,
        used=silence or total((node.name, used_cards(node, target)) for node in known),
        available=_available(target, known, healthy, allocated),
        deficit=above(allocated, healthy),
        slices=silence or slice_balances(known),
        cost_per_hour=cost_of(physical, price),
    )


def slice_balances(nodes: Iterable[Node]) -> tuple[SliceBalance, ...] | Unknown:
    """Sum the slices of each profile over some machines."""
    groups: defaultdict[MigProfile, list[MigSlice]] = defaultdict(list)
    for node in nodes:
        if isinstance(node.mig_slices, Unknown):
            return node.mig_slices
        for group in node.mig_slices or ():
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


def used_cards(node: Node, target: Target | None) -> Count:
    """Count the whole cards that bound work of this target's scheduler holds; of any scheduler, for none."""
    parts: list[tuple[str, Count]] = []
    if target is not Target.SLURM:
        parts.append(("pods", _held_by_pods(node)))
    if target is not Target.KUBERNETES:
        parts.append(("jobs", given_to_jobs(node)))
    return total(parts)


def _held_by_pods(node: Node) -> Count:
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else node.gpus
    if isinstance(resources, Unknown):
        return resources
    return total((one.name, one.requested) for one in resources or () if one.unit is GpuUnit.CARD)


def given_to_jobs(node: Node) -> Count:
    """Count the cards of a machine that Slurm gave to jobs."""
    if isinstance(node.jobs, Unknown):
        return node.jobs
    return total((job.job_id, _given(job, node.name)) for job in node.jobs)


def _given(job: SlurmJob, node: str) -> Count:
    if isinstance(job.node_gpus, Unknown):
        return job.node_gpus
    return sum(cards for name, cards in job.node_gpus if name == node)


def _is_known_to_target(node: Node, target: Target | None) -> bool:
    if target is Target.SLURM:
        return node.slurm is not None
    if target is Target.KUBERNETES:
        return node.kubernetes is not None
    return node.kubernetes is not None or node.slurm is not None


def _usable(node: Node) -> Maybe[int]:
    return node.health.usable_cards if isinstance(node.health, NodeHealth) else node.health


def _partitioned(node: Node) -> Maybe[int]:
    return node.gpus.partitioned_cards if isinstance(node.gpus, NodeGpus) else node.gpus


def _schedulable(node: Node) -> Maybe[int]:
    """The usable cards of a machine, where the scheduler that it serves may place new work on it."""
    open_to_work = _takes_work(node)
    if isinstance(open_to_work, Unknown):
        return open_to_work
    return _usable(node) if open_to_work else 0


def _takes_work(node: Node) -> bool | Unknown:
    target = node.record.target if isinstance(node.record, NodeRecord) else None
    by_slurm = target is Target.SLURM or (target is None and node.kubernetes is None)
    part = node.slurm if by_slurm else node.kubernetes
    if isinstance(part, Unknown):
        return part
    return isinstance(part, (KubernetesNode, SlurmNode)) and takes_work(part)


def _granted(workspaces: Iterable[Workspace]) -> Mapping[str, int]:
    """Sum what the platform gave to workspaces, by GPU type."""
    granted: defaultdict[str, int] = defaultdict(int)
    for workspace in workspaces:
        for allocation in workspace.allocations:
            granted[allocation.gpu_type] += allocation.cards
    return granted


def _allocated(target: Target | None, nodes: list[Node], granted: int, silence: Unknown | None) -> Maybe[int]:
    if target is None:
        return None
    if target is Target.KUBERNETES:
        return granted
    return silence or total((node.name, given_to_jobs(node)) for node in nodes)


def _available(target: Target | None, nodes: list[Node], healthy: Count, allocated: Maybe[int]) -> Maybe[int]:
    if target is not Target.SLURM:
        return above(healthy, allocated)
    return first_unknown(allocated, healthy) or total((node.name, _free_for_jobs(node)) for node in nodes)


def _free_for_jobs(node: Node) -> Maybe[int]:
    return above(_schedulable(node), given_to_jobs(node))
