"""GPU types that are promised where none are held."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.discrepancies.evidence import (
    about,
    counted,
    holder,
    kubernetes,
    machines,
    platform,
    queues,
    record_path,
)
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.platform import Allocation, NodeRecord, Target, Workspace
from gateway.fleet.queue import Queue
from gateway.fleet.terms import target_of
from gateway.fleet.unknown import Unknown

_Holder = tuple[str, str | None]
"""Cluster, tenant."""


def types_on_record(fleet: Fleet) -> Iterator[Finding]:
    """A record says another GPU type than the machine has."""
    for node in machines(fleet):
        record, kind = node.record, _type(node)
        claimed = record.claimed_gpu_type if isinstance(record, NodeRecord) else None
        if claimed and isinstance(kind, GpuType) and claimed != kind.name:
            said = f"{node.name} is on record with {claimed}, and has {kind.name}"
            remedy = Remedy(action=RemedyAction.OTHER, text=f"write down {kind.name}", subject=node.id)
            evidence = (
                platform(fleet, record_path(node, "claimed_gpu_type"), claimed),
                _product(node, fleet),
            )
            yield about(node, AlertKind.TYPE_NOT_ALLOCATED, said, evidence, [remedy])


def _product(node: Node, fleet: Fleet) -> Evidence:
    product = node.gpus.product if isinstance(node.gpus, NodeGpus) else None
    path = f"nodes/{node.name} metadata.labels[nvidia.com/gpu.product]"
    return kubernetes(fleet, node.cluster, path, product)


def _type(node: Node) -> object:
    return node.gpus.type if isinstance(node.gpus, NodeGpus) else node.gpus


@dataclass(frozen=True, slots=True)
class _Held:
    """What the machines that serve Kubernetes are, by who holds them."""

    types: Mapping[_Holder, set[str]]
    resources: Mapping[_Holder, set[str]]
    untold: frozenset[_Holder]
    """Where the type of a machine is not known."""

    def lacks(self, what: Mapping[_Holder, set[str]], name: str, holder: _Holder) -> bool:
        """Whether a tenant holds machines there, and certainly none with this."""
        return holder in what and holder not in self.untold and name not in what[holder]


def types_given(fleet: Fleet) -> Iterator[Finding]:
    """A workspace was given cards, or its queue offers slices, of a kind that its tenant does not hold."""
    platform_records = fleet.platform
    if isinstance(platform_records, Unknown):
        return
    held = _held(fleet)
    for workspace in platform_records.workspaces.values():
        at = (workspace.cluster_name, workspace.tenant_name)
        if at[0] not in fleet.clusters or isinstance(fleet.nodes(at[0]), Unknown):
            continue
        for given in workspace.allocations:
            if given.cards and held.lacks(held.types, given.gpu_type, at):
                yield _given(workspace, given, held.types.get(at, set()), fleet)
        yield from _offered(workspace, held, fleet)


def _held(fleet: Fleet) -> _Held:
    types: defaultdict[_Holder, set[str]] = defaultdict(set)
    resources: defaultdict[_Holder, set[str]] = defaultdict(set)
    untold: set[_Holder] = set()
    for node in machines(fleet):
        at, kind = (node.cluster, holder(node)), _type(node)
        if kind is None or node.kubernetes is None or target_of(node) is Target.SLURM:
            continue
        if isinstance(kind, GpuType):
            types[at].add(kind.name)
        else:
            untold.add(at)
        if isinstance(node.kubernetes, KubernetesNode):
            resources[at].update(one.name for one in node.kubernetes.resources)
    return _Held(types, resources, frozenset(untold))


def _given(workspace: Workspace, given: Allocation, held: set[str], fleet: Fleet) -> Finding:
    at = f"{workspace.tenant_name}/{workspace.name}"
    subject = entity_id(EntityKind.ALLOCATION, workspace.tenant_name, workspace.name, given.gpu_type)
    has = ", ".join(sorted(held)) or "no cards"
    cards = counted(given.cards, "card")
    said = f"{at} was given {cards} of {given.gpu_type}; {workspace.tenant_name} holds {has} there"
    remedy = "give it cards of a type that the tenant holds, or give the tenant such a machine"
    return Finding(
        kind=AlertKind.TYPE_NOT_ALLOCATED,
        severity=Severity.WARNING,
        subject=subject,
        subject_name=f"{at} {given.gpu_type}",
        cluster=workspace.cluster_name,
        tenant=workspace.tenant_name,
        message=said,
        claim=platform(fleet, f"gpu_allocation[{at}/{given.gpu_type}].cards", given.cards),
        evidence=(
            kubernetes(
                fleet, workspace.cluster_name, f"types of the machines of {workspace.tenant_name}", has
            ),
        ),
        remedies=(Remedy(action=RemedyAction.RAISE_ALLOCATION, text=remedy, subject=subject),),
    )


def _offered(workspace: Workspace, held: _Held, fleet: Fleet) -> Iterator[Finding]:
    at = (workspace.cluster_name, workspace.tenant_name)
    queue = fleet.queue(workspace.cluster_name, workspace.queue_name) if workspace.queue_name else None
    if not isinstance(queue, Queue):
        return
    for name, amount in sorted(_slices_of(queue).items()):
        if held.lacks(held.resources, name, at):
            yield _offer(workspace, queue, (name, amount), fleet)


def _slices_of(queue: Queue) -> dict[str, str]:
    """The MIG resources of which a queue promises any."""
    written = [*(queue.deserved or ()), *(queue.guarantee or ())]
    return {
        one.resource: one.text for one in written if one.resource.startswith(MIG_PREFIX) and one.value != 0
    }


def _offer(workspace: Workspace, queue: Queue, promised: tuple[str, str], fleet: Fleet) -> Finding:
    (name, amount), tenant = promised, workspace.tenant_name
    return Finding(
        kind=AlertKind.TYPE_NOT_ALLOCATED,
        severity=Severity.WARNING,
        subject=queue.id,
        subject_name=queue.name,
        cluster=queue.cluster,
        tenant=tenant,
        message=f"queue {queue.name} promises {amount} {name}; no machine of {tenant} there offers any",
        claim=queues(fleet, queue.cluster, f"queues/{queue.name} spec[{name}]", amount),
        evidence=(
            platform(fleet, f"workspace[{tenant}/{workspace.name}].queue", queue.name),
            kubernetes(fleet, queue.cluster, f"{name} of the machines of {tenant}", None),
        ),
        remedies=(
            Remedy(
                action=RemedyAction.CHANGE_QUEUE, text=f"take {name} out of {queue.name}", subject=queue.id
            ),
        ),
        detail=name,
    )
