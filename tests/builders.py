"""Whole records for tests, so that a test shows only what matters to it."""

# ruff: noqa: PLR0913 - a builder takes what a record has

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from immutables import Map

from gateway.errors import System
from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.condition import Condition
from gateway.fleet.gpu import DeviceResource, GpuClaim, GpuType, Price
from gateway.fleet.node import KubernetesNode, Taint
from gateway.fleet.platform import Allocation, NodeRecord, PlatformRecords, Target, Tenant, Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import Quantity, quantity
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.requests import unit_of
from gateway.fleet.slurm import SlurmGres, SlurmJob, SlurmNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from gateway.fleet.workload import WorkloadState
from gateway.sources.kubernetes.labels import read_labels
from gateway.sources.slurm.gres import read_gres
from tests.gpu_labels import GPU, H100, whole

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
CLUSTER, SLURM = "fleet", "island"
Amounts = Mapping[str, object]


def a_node(
    name: str = "gpu-01",
    labels: Mapping[str, str] | None = None,
    capacity: Amounts | None = None,
    allocatable: Amounts | None = None,
    *,
    cluster: str = CLUSTER,
    ready: bool | Unknown = True,
    cordoned: bool = False,
    taints: Iterable[str] = (),
    hami: str | None = None,
) -> KubernetesNode:
    """A node; without more, eight whole H100; it offers what its labels count, all allocatable."""
    told = whole() if labels is None else labels
    has = {GPU: told.get(f"{GPU}.count", 8)} if capacity is None else capacity
    gives = has if allocatable is None else allocatable
    return KubernetesNode(
        cluster=cluster,
        name=name,
        uid=f"uid-{name}",
        ready=ready,
        cordoned=cordoned,
        cordoned_by=None,
        taints=tuple(Taint(key=key, value=None, effect="NoSchedule") for key in taints),
        labels=told,
        conditions=(Condition(type="Ready", status=str(ready), reason=None, message=None, since=NOON),),
        kubelet_version="v1.36.3",
        container_runtime="containerd://2.1",
        resources=tuple(
            DeviceResource(name=key, capacity=_amount(key, has), allocatable=_amount(key, gives))
            for key in sorted({*has, *gives})
        ),
        gpu_labels=read_labels(told, []),
        hami_register=hami,
        allocatable=Map({"pods": Decimal(110)} | {key: _amount(key, gives).value for key in gives}),
    )


def a_pod(
    name: str = "work-0",
    node: str | None = "gpu-01",
    asks: Mapping[str, int | Unknown] | None = None,
    *,
    cluster: str = CLUSTER,
    namespace: str = "training",
    phase: str = "Running",
    terminating: bool = False,
    group: str | None = None,
) -> Pod:
    """A pod; without more, one that runs on gpu-01 and holds one nvidia.com/gpu."""
    return Pod(
        cluster=cluster,
        namespace=namespace,
        name=name,
        uid=f"uid-{name}",
        phase=phase,
        state=WorkloadState.RUNNING,
        node_name=node,
        gpus=tuple(
            GpuClaim(resource=key, unit=unit_of(key), count=count)
            for key, count in ({GPU: 1} if asks is None else asks).items()
        ),
        priority=0,
        priority_class=None,
        controller=None,
        group_name=group,
        scheduler_name="volcano",
        created_at=NOON,
        started_at=NOON,
        terminating=terminating,
        ended=phase in {"Succeeded", "Failed"},
        requests=Map(
            (key, count if isinstance(count, Unknown) else Decimal(count or 0))
            for key, count in ({GPU: 1} if asks is None else asks).items()
        ),
    )


def a_slurm_node(
    name: str = "gpu-01", states: Iterable[str] = ("IDLE",), gres: str = "gpu:h100:8", *, slurm: str = SLURM
) -> SlurmNode:
    """A node of Slurm; without more, an idle one with eight H100."""
    return SlurmNode(
        slurm_cluster=slurm,
        name=name,
        states=tuple(sorted(states)),
        reason="changed by a test",
        reason_by="root",
        partitions=("gpu",),
        gres=tuple(
            SlurmGres(name=kind.name, type=kind.type, unit=kind.unit, configured=count, used=0)
            for kind, count in read_gres(gres).items()
        ),
    )


def a_job(
    job_id: str = "1",
    cards: Mapping[str, int] | Unknown | None = None,
    state: str = "RUNNING",
    *,
    nodes: Iterable[str] = ("gpu-01",),
    slurm: str = SLURM,
) -> SlurmJob:
    """A job of Slurm; without more, one that runs on gpu-01 and holds its eight cards."""
    given = {"gpu-01": 8} if cards is None else cards
    names = tuple(nodes) if isinstance(given, Unknown) else tuple(given)
    return SlurmJob(
        slurm_cluster=slurm,
        job_id=job_id,
        name="train",
        state=WorkloadState.RUNNING,
        slurm_state=state,
        gpus=(GpuClaim(resource="gres/gpu", unit=GpuUnit.CARD, count=8),),
        node_names=names,
        node_gpus=given if isinstance(given, Unknown) else tuple(given.items()),
        user="ada",
        partition="gpu",
        submitted_at=NOON,
        started_at=NOON,
        pending_reason=None,
    )


def a_record(
    name: str = "gpu-01",
    target: Target | None = Target.KUBERNETES,
    tenant: str | None = "vision",
    *,
    cluster: str = CLUSTER,
    claims: int | None = None,
) -> NodeRecord:
    """What the platform wrote down of a machine."""
    named = {"cluster": cluster, "name": name, "target": target, "tenant_name": tenant}
    return NodeRecord(**named, claimed_cards=claims, claimed_gpu_type=None)


def a_workspace(
    name: str = "training",
    given: Mapping[str, int] | None = None,
    *,
    tenant: str = "vision",
    cluster: str = CLUSTER,
    namespaces: Iterable[str] = ("training",),
    queue: str | None = "training",
) -> Workspace:
    """A workspace; without more, one that was given four H100."""
    return Workspace(
        tenant_name=tenant,
        name=name,
        cluster_name=cluster,
        namespaces=tuple(namespaces),
        queue_name=queue,
        allocations=tuple(
            Allocation(gpu_type=kind, cards=cards, generation=1)
            for kind, cards in ({H100: 4} if given is None else given).items()
        ),
    )


def a_queue(
    name: str = "training",
    allocated: Mapping[str, object] | None = None,
    *,
    parent: str | None = "root",
    cluster: str = CLUSTER,
    deserved: Amounts | None = None,
) -> Queue:
    """A queue of Volcano; allocated None: its status does not say."""
    return Queue(
        cluster=cluster,
        name=name,
        state="Open",
        parent_name=parent,
        capability=None,
        deserved=_quantities(deserved),
        guarantee=None,
        allocated=_quantities(allocated),
        reclaimable=True,
    )


def a_pod_group(name: str = "gang", queue: str = "training", phase: str = "Running") -> PodGroup:
    """A pod group of Volcano."""
    return PodGroup(
        cluster=CLUSTER,
        namespace="training",
        name=name,
        queue_name=queue,
        phase=phase,
        min_member=1,
        conditions=(),
        min_resources=(),
        created_at=NOON,
    )


def a_price(amount: str = "2.50", currency: str = "USD", since: datetime = NOON - timedelta(days=1)) -> Price:
    """What a card-hour costs from a time on."""
    return Price(amount=Decimal(amount), currency=currency, effective_from=since)


def some_records(
    nodes: Iterable[NodeRecord] = (),
    workspaces: Iterable[Workspace] = (),
    prices: Mapping[str, Iterable[Price]] | None = None,
    types: Mapping[str, GpuType] = CATALOGUE,
) -> PlatformRecords:
    """The platform's records; tenants are those that are named."""
    spaces, machines = tuple(workspaces), tuple(nodes)
    names = {one.tenant_name for one in (*spaces, *machines) if one.tenant_name}
    return PlatformRecords(
        nodes={(one.cluster, one.name): one for one in machines},
        tenants={name: Tenant(name=name, display_name=None) for name in sorted(names)},
        workspaces={(one.tenant_name, one.name): one for one in spaces},
        gpu_types=types,
        prices={kind: tuple(one) for kind, one in (prices or {}).items()},
    )


def _quantities(amounts: Amounts | None) -> tuple[Quantity, ...] | None:
    if amounts is None:
        return None
    return tuple(quantity(key, str(text), System.QUEUES) for key, text in amounts.items())


def _amount(name: str, amounts: Amounts) -> Quantity | None:
    return quantity(name, str(amounts[name]), System.KUBERNETES) if name in amounts else None
