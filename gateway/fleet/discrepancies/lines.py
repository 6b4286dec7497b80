"""Lines of the account of which nothing is left, or more was given than there is."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.account import Tariff, balances
from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.capacity import GpuBalance
from gateway.fleet.cluster import Cluster
from gateway.fleet.discrepancies.evidence import holder, kubernetes, machines, platform, slurm
from gateway.fleet.fleet import Fleet
from gateway.fleet.line import Holdings
from gateway.fleet.node import Node
from gateway.fleet.platform import PlatformRecords, Target
from gateway.fleet.unknown import Unknown

_MACHINES = frozenset({System.KUBERNETES, System.PLATFORM, System.SLURM})
"""Who may know of more machines of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    """Whose account it is."""

    cluster: str
    tenant: str | None
    holdings: Holdings

    @property
    def name(self) -> str:
        """As it is named in a sentence."""
        return f"{self.tenant} in {self.cluster}" if self.tenant else self.cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line whose cards are known."""

    owner: _Owner
    balance: GpuBalance
    physical: int
    healthy: int

    @property
    def cards(self) -> str:
        """What it counts, in a sentence."""
        kind = self.balance.gpu_type.name if self.balance.gpu_type else "of unknown type"
        return f"cards {kind}" if self.balance.gpu_type is None else kind


def exhausted_lines(fleet: Fleet) -> Iterator[Finding]:
    """More cards were given than are healthy, or every healthy card of a type in a cluster is given away."""
    for line in _lines(fleet):
        given = line.balance.allocated
        if isinstance(given, int) and given > line.healthy:
            yield _over_allocated(line, given, fleet)
        elif line.owner.tenant is None and line.balance.available == 0 and line.healthy:
            yield _exhausted(line, fleet)


def _over_allocated(line: _Line, given: int, fleet: Fleet) -> Finding:
    severity = Severity.CRITICAL if given > line.physical else Severity.WARNING
    said = (
        f"{line.owner.name}: {given} {line.cards} were given, "
        f"and {line.healthy} of {line.physical} are healthy: {given - line.healthy} short"
    )
    remedy = "repair what is not healthy, add machines, or take cards back"
    action = (RemedyAction.RAISE_ALLOCATION, remedy)
    return _finding(line, (AlertKind.OVER_ALLOCATED, severity), said, action, fleet)


def _exhausted(line: _Line, fleet: Fleet) -> Finding:
    said = f"{line.owner.name}: none of {line.healthy} healthy {line.cards} is left to give"
    action = (
        RemedyAction.OTHER,
        "add machines, or take back what nobody uses: workspaces show their headroom",
    )
    return _finding(line, (AlertKind.GPUS_EXHAUSTED, Severity.INFO), said, action, fleet)


def _lines(fleet: Fleet) -> Iterator[_Line]:
    records = fleet.platform
    if isinstance(records, Unknown) or not fleet.has(System.PLATFORM, "", "records"):
        return
    tariff = Tariff(types=fleet.gpu_types, prices={}, now=fleet.now)
    for owner in _owners(fleet, records):
        for line in balances(owner.holdings, tariff):
            if isinstance(line.physical, int) and line.physical and isinstance(line.healthy, int):
                yield _Line(owner=owner, balance=line, physical=line.physical, healthy=line.healthy)


def _owners(fleet: Fleet, records: PlatformRecords) -> Iterator[_Owner]:
    nodes: defaultdict[tuple[str, str | None], list[Node]] = defaultdict(list)
    for node in machines(fleet):
        nodes[node.cluster, None].append(node)
        if holder(node):
            nodes[node.cluster, holder(node)].append(node)
    for (cluster, tenant), held in nodes.items():
        if isinstance(fleet.nodes(cluster), Unknown):
            continue
        given = (
            one
            for one in records.workspaces.values()
            if one.cluster_name == cluster and tenant in {None, one.tenant_name}
        )
        owner = records.tenants[tenant].id if tenant else Cluster(name=cluster, kubernetes_version=None).id
        holdings = Holdings(
            owner=owner,
            nodes=tuple(held),
            workspaces=tuple(given),
            slurm_silence=fleet.slurm_silence(cluster),
        )
        yield _Owner(cluster=cluster, tenant=tenant, holdings=holdings)


def _finding(
    line: _Line, kind: tuple[AlertKind, Severity], said: str, remedy: tuple[RemedyAction, str], fleet: Fleet
) -> Finding:
    balance, owner = line.balance, line.owner
    return Finding(
        kind=kind[0],
        severity=kind[1],
        subject=balance.id,
        subject_name=f"{owner.name} {line.cards}",
        cluster=owner.cluster,
        tenant=owner.tenant,
        message=said,
        claim=_claim(line, fleet),
        evidence=tuple(_evidence(line, fleet)),
        remedies=(Remedy(action=remedy[0], text=remedy[1], subject=balance.id),),
        detail=owner.cluster if owner.tenant else "",
        rests_on=_MACHINES,
    )


def _claim(line: _Line, fleet: Fleet) -> Evidence:
    given = line.balance.allocated
    if line.balance.target is Target.SLURM:
        return _by_slurm(line, f"cards of jobs on {line.cards}", given, fleet)
    return platform(fleet, f"sum of gpu_allocation.cards of {line.cards}", given)


def _evidence(line: _Line, fleet: Fleet) -> Iterator[Evidence]:
    for name, count in (("physical", line.physical), ("healthy", line.healthy)):
        path = f"{name} cards of {line.cards}"
        if line.balance.target is Target.SLURM:
            yield _by_slurm(line, path, count, fleet)
        else:
            yield kubernetes(fleet, line.owner.cluster, path, count)


def _by_slurm(line: _Line, path: str, value: object, fleet: Fleet) -> Evidence:
    place = next(place for place, home in fleet.slurms.items() if home == line.owner.cluster)
    return slurm(fleet, place, path, value)
