"""Reads pods; only what is used is decoded, for there may be 100,000 of them."""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial

import msgspec

from gateway.errors import System
from gateway.fleet.gpu import GpuClaim
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import Quantity, device_count, write_decimal
from gateway.fleet.requests import Amounts, InitStep, PodRequests, requested, resources, unit_of
from gateway.fleet.unknown import Unknown
from gateway.fleet.workload import WorkloadState
from gateway.sources.kubernetes.amounts import MEASURED, RawAmounts, gpu_resources, read_amount
from gateway.sources.kubernetes.decoding import decode_object, read_time
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem

_VITAL = (
    "metadata.deletionTimestamp",
    "spec.nodeName",
    "spec.containers",
    "spec.initContainers",
    "spec.overhead",
    "spec.resources",
    "status.phase",
)
_Text = str | None


class _Annotations(msgspec.Struct):
    group_name: _Text = msgspec.field(name="scheduling.k8s.io/group-name", default=None)


class _Owner(msgspec.Struct):
    kind: str
    name: str
    controller: bool | None = None


class _Metadata(msgspec.Struct):
    name: str
    namespace: str
    uid: str = ""
    annotations: _Annotations | None = None
    owners: list[_Owner] | None = msgspec.field(name="ownerReferences", default=None)
    created: _Text = msgspec.field(name="creationTimestamp", default=None)
    deleted: _Text = msgspec.field(name="deletionTimestamp", default=None)


class _Resources(msgspec.Struct):
    requests: dict[str, msgspec.Raw] | None = None
    limits: dict[str, msgspec.Raw] | None = None


class _Container(msgspec.Struct):
    resources: _Resources | None = None
    restart_policy: _Text = msgspec.field(name="restartPolicy", default=None)


class _Spec(msgspec.Struct):
    node_name: _Text = msgspec.field(name="nodeName", default=None)
    containers: list[_Container] | None = None
    init: list[_Container] | None = msgspec.field(name="initContainers", default=None)
    resources: _Resources | None = None
    overhead: dict[str, msgspec.Raw] | None = None
    priority: int | None = None
    priority_class: _Text = msgspec.field(name="priorityClassName", default=None)
    scheduler_name: _Text = msgspec.field(name="schedulerName", default=None)


class _Status(msgspec.Struct):
    phase: str = ""
    started: _Text = msgspec.field(name="startTime", default=None)


class _Pod(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec
    status: _Status | None = None


_POD = msgspec.json.Decoder(_Pod)
_ENDED = {"Succeeded": WorkloadState.SUCCEEDED, "Failed": WorkloadState.FAILED}
_GOING = {"Running": WorkloadState.RUNNING, "Unknown": WorkloadState.UNKNOWN}


def pods(cluster: str) -> Kind[Pod]:
    """The pods of a cluster."""
    return Kind(path="/api/v1/pods", read=partial(read_pod, cluster), namespaced=True)


def read_pod(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> Pod:
    """Read one pod."""
    pod = decode_object(_POD, raw, problems, vital=_VITAL)
    metadata, spec, status = pod.metadata, pod.spec, pod.status or _Status()
    return Pod(
        cluster=cluster,
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
        phase=status.phase,
        state=_state(pod, status.phase),
        node_name=spec.node_name or None,
        gpus=tuple(_claims(spec, problems)),
        priority=spec.priority,
        priority_class=spec.priority_class,
        controller=_controller(metadata),
        group_name=metadata.annotations.group_name if metadata.annotations else None,
        scheduler_name=spec.scheduler_name,
        created_at=read_time(metadata.created, "metadata.creationTimestamp", problems),
        started_at=read_time(status.started, "status.startTime", problems),
        terminating=bool(metadata.deleted),
        ended=status.phase in _ENDED,
    )


def _state(pod: _Pod, phase: str) -> WorkloadState:
    if phase in _ENDED:
        return _ENDED[phase]
    if pod.metadata.deleted:
        return WorkloadState.TERMINATING
    if phase in _GOING:
        return _GOING[phase]
    if phase not in {"Pending", ""}:
        return WorkloadState.UNKNOWN
    return WorkloadState.STARTING if pod.spec.node_name else WorkloadState.PENDING


def _controller(metadata: _Metadata) -> str | None:
    owners = (owner for owner in metadata.owners or () if owner.controller)
    return next((f"{owner.kind}/{owner.name}" for owner in owners), None)


def _claims(spec: _Spec, problems: list[Problem]) -> Iterator[GpuClaim]:
    requests = _requests(spec, problems)
    for resource in sorted(resources(requests)):
        amount = requested(requests, resource)
        if amount != 0:
            count = amount if isinstance(amount, Unknown) else _count(resource, amount, problems)
            yield GpuClaim(resource=resource, unit=unit_of(resource), count=count)


def _requests(spec: _Spec, problems: list[Problem]) -> PodRequests:
    return PodRequests(
        containers=tuple(
            _amounts(it.resources, f"spec.containers[{at}]", problems)
            for at, it in enumerate(spec.containers or ())
        ),
        init=tuple(
            InitStep(
                asks=_amounts(it.resources, f"spec.initContainers[{at}]", problems),
                sidecar=it.restart_policy == "Always",
            )
            for at, it in enumerate(spec.init or ())
        ),
        pod_level=_amounts(spec.resources, "spec", problems),
        overhead=_read(gpu_resources(spec.overhead), "spec.overhead", problems),
    )


def _amounts(asked: _Resources | None, path: str, problems: list[Problem]) -> Amounts:
    """What a container asks of GPU resources: where only its limit is given, that is its request too."""
    if asked is None:
        return {}
    requests, limits = gpu_resources(asked.requests), gpu_resources(asked.limits)
    unasked = {name: raw for name, raw in limits.items() if name not in requests}
    read = _read(requests, f"{path}.resources.requests", problems)
    return {**read, **_read(unasked, f"{path}.resources.limits", problems)} if unasked else read


def _read(amounts: RawAmounts, path: str, problems: list[Problem]) -> Amounts:
    read = {name: read_amount(name, raw, path, problems).value for name, raw in amounts.items()}
    return {name: value for name, value in read.items() if value is not None}


def _count(resource: str, amount: Decimal, problems: list[Problem]) -> int | Unknown:
    """What is asked of a resource as a whole number."""
    if unit_of(resource) in MEASURED and amount == amount.to_integral_value() and amount > 0:
        return int(amount)
    text = write_decimal(amount)
    count = device_count(Quantity(resource=resource, text=text, value=amount), System.KUBERNETES)
    if isinstance(count, Unknown):
        problems.append(Problem(path=f"spec[{resource}]", raw=text, text=count.reason))
    return count
