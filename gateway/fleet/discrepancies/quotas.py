"""Quotas of namespaces that hold nobody back: by a key that binds nothing, or above all that there is."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.cluster import cluster_id
from gateway.fleet.discrepancies.evidence import kubernetes
from gateway.fleet.discrepancies.usage import most_devices
from gateway.fleet.fleet import Fleet
from gateway.fleet.listings import NodeKey
from gateway.fleet.namespace_quota import is_read_by_hami, is_split_by_hami
from gateway.fleet.node import Node
from gateway.fleet.quantity import Quantity, whole_number
from gateway.fleet.quota import LIMITS, QUOTAS, REQUESTS, ResourceQuota, binds, resource_of
from gateway.fleet.requests import unit_of
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown

_AMOUNTS = {GpuUnit.CORE, GpuUnit.MEMORY}
_DECIDE = frozenset({System.KUBERNETES, System.PLATFORM})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ceiling:
    """A key of a quota."""

    quota: ResourceQuota
    amount: Quantity

    @property
    def key(self) -> str:
        """As it is written."""
        return self.amount.resource

    @property
    def resource(self) -> str:
        """What it is about."""
        return resource_of(self.key)


def quotas_without_effect(fleet: Fleet) -> Iterator[Finding]:
    """A quota names a GPU resource by a key that binds nothing."""
    for cluster, nodes in _judged(fleet):
        by_hami = any(is_split_by_hami(node) for node in nodes.values())
        for one in _ceilings(fleet, cluster):
            if not (binds(one.key) or _is_bound_beside(one) or (by_hami and is_read_by_hami(one.key))):
                yield _without_effect(one, fleet, by_hami=by_hami)


def high_quotas(fleet: Fleet) -> Iterator[Finding]:
    """A namespace may ask for more devices than its cluster has: a ceiling that is none."""
    for cluster, nodes in _judged(fleet):
        most = most_devices(nodes.values())
        for one, count in _lowest(fleet, cluster):
            if 0 < most[one.resource] < count:
                yield _high(one, most[one.resource], fleet)


def _judged(fleet: Fleet) -> Iterator[tuple[str, Mapping[NodeKey, Node]]]:
    """The clusters of which all is heard that decides, with their machines."""
    if isinstance(fleet.platform, Unknown):
        return  # it tells whose the namespaces are
    for cluster in fleet.clusters:
        nodes = fleet.nodes(cluster)
        if not isinstance(nodes, Unknown):
            yield cluster, nodes


def _ceilings(fleet: Fleet, cluster: str) -> Iterator[_Ceiling]:
    quotas = fleet.quotas(cluster)
    if isinstance(quotas, Unknown):
        return
    for quota in quotas.values():
        yield from (_Ceiling(quota=quota, amount=amount) for amount in quota.hard)


def _lowest(fleet: Fleet, cluster: str) -> Iterator[tuple[_Ceiling, int]]:
    """The lowest ceiling of each namespace for each resource that is counted; none where one is unknown."""
    found: defaultdict[tuple[str, str], list[tuple[int, str, _Ceiling]]] = defaultdict(list)
    unread: set[tuple[str, str]] = set()
    for one in _ceilings(fleet, cluster):
        if binds(one.key) and unit_of(one.resource) not in _AMOUNTS:
            at = (one.quota.namespace, one.resource)
            count = whole_number(one.amount, System.KUBERNETES)
            if isinstance(count, int):
                found[at].append((count, one.quota.name, one))
            else:
                unread.add(at)
    for at in sorted(found.keys() - unread):
        count, _, one = min(found[at], key=lambda ceiling: ceiling[:2])
        yield one, count


def _is_bound_beside(one: _Ceiling) -> bool:
    """Whether the same quota has the key that binds, and allows no more by it."""
    wanted = one.amount.value
    beside = (amount.value for amount in one.quota.hard if amount.resource == REQUESTS + one.resource)
    return any(
        isinstance(value, Decimal) and isinstance(wanted, Decimal) and value <= wanted for value in beside
    )


def _without_effect(one: _Ceiling, fleet: Fleet, *, by_hami: bool) -> Finding:
    right = REQUESTS + one.resource
    said = (
        f"ResourceQuota {one.quota.name} of namespace {one.quota.namespace} limits nothing by "
        f"{one.key}: {one.amount.text}; {right} would"
    )
    remedy = f"write {right} in place of {one.key}"
    if by_hami and is_read_by_hami(LIMITS + one.resource):
        remedy += f", or {LIMITS}{one.resource} for HAMi's scheduler"
    used = next((amount.text for amount in one.quota.used if amount.resource == one.key), None)
    evidence = _told(one, fleet, f"status.used[{one.key}]", used)
    return _finding(one, (AlertKind.QUOTA_WITHOUT_EFFECT, Severity.WARNING), (said, remedy), evidence, fleet)


def _high(one: _Ceiling, most: int, fleet: Fleet) -> Finding:
    space, cluster = one.quota.namespace, one.quota.cluster
    said = (
        f"namespace {space} may ask for {one.amount.text} {one.resource} by ResourceQuota {one.quota.name}, "
        f"and {cluster} has no more than {most:,}: that limits nothing"
    )
    remedy = f"write how many {one.resource} {space} may have at most"
    evidence = kubernetes(fleet, cluster, f"most of {one.resource} on its machines", most)
    return _finding(one, (AlertKind.GPU_QUOTA_HIGH, Severity.INFO), (said, remedy), evidence, fleet)


def _finding(
    one: _Ceiling,
    what: tuple[AlertKind, Severity],
    words: tuple[str, str],
    evidence: Evidence,
    fleet: Fleet,
) -> Finding:
    """A finding about the workspace that a quota is of; about its cluster where it is of none."""
    quota, (kind, severity), (said, remedy) = one.quota, what, words
    workspace = fleet.workspace_of_namespace.get((quota.cluster, quota.namespace))
    subject = workspace.id if workspace else cluster_id(quota.cluster)
    return Finding(
        kind=kind,
        severity=severity,
        subject=subject,
        subject_name=f"{quota.namespace}/{quota.name}",
        cluster=quota.cluster,
        tenant=workspace.tenant_name if workspace else None,
        message=said,
        claim=_told(one, fleet, f"spec.hard[{one.key}]", one.amount.text),
        evidence=(evidence,),
        remedies=(Remedy(action=RemedyAction.OTHER, text=remedy, subject=subject),),
        detail=f"{quota.namespace}/{quota.name} {one.key}",
        rests_on=_DECIDE,
    )


def _told(one: _Ceiling, fleet: Fleet, path: str, value: str | None) -> Evidence:
    at = f"{QUOTAS}/{one.quota.namespace}/{one.quota.name}"
    return kubernetes(fleet, one.quota.cluster, f"{at} {path}", value, QUOTAS)
