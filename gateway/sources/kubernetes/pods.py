"""Reads pods; only what is used is decoded, for there may be 100,000 of them."""

import re
from functools import lru_cache, partial

import msgspec
from immutables import Map

from gateway.fleet.condition import Condition
from gateway.fleet.constraints import Constraints
from gateway.fleet.container import ContainerState
from gateway.fleet.gpu import GpuClaim
from gateway.fleet.operand import operand_of
from gateway.fleet.pod import BY_KUBELET, Pod
from gateway.fleet.unknown import Unknown
from gateway.fleet.workload import WorkloadState
from gateway.sources.kubernetes.conditions import RawCondition, read_conditions
from gateway.sources.kubernetes.constraints import RawConstraints, read_constraints
from gateway.sources.kubernetes.containers import RawState, read_containers
from gateway.sources.kubernetes.decoding import decode_object, read_time
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.kubernetes.requests import RawContainer, RawRequests, read_requests
from gateway.sources.kubernetes.volumes import read_volumes
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
    preemptable: _Text = msgspec.field(name="volcano.sh/preemptable", default=None)
    task: _Text = msgspec.field(name="volcano.sh/task-spec", default=None)
    given: _Text = msgspec.field(name="kubernetes.io/limit-ranger", default=None)


class _Owner(msgspec.Struct):
    kind: str
    name: str
    controller: bool | None = None


class _Metadata(msgspec.Struct):
    name: str
    namespace: str
    uid: str = ""
    annotations: _Annotations | None = None
    labels: dict[str, str] | None = None
    owners: list[_Owner] | None = msgspec.field(name="ownerReferences", default=None)
    created: _Text = msgspec.field(name="creationTimestamp", default=None)
    deleted: _Text = msgspec.field(name="deletionTimestamp", default=None)


_NULL = msgspec.Raw(b"null")
_NOTHING = (_NULL, msgspec.Raw(b"[]"))


class _Container(msgspec.Struct):
    name: str = ""
    resources: msgspec.Raw = _NULL
    ports: msgspec.Raw = _NULL
    restart_policy: _Text = msgspec.field(name="restartPolicy", default=None)


class _Spec(msgspec.Struct):
    node_name: _Text = msgspec.field(name="nodeName", default=None)
    containers: list[_Container] | None = None
    init: list[_Container] | None = msgspec.field(name="initContainers", default=None)
    resources: msgspec.Raw = _NULL
    overhead: msgspec.Raw = _NULL
    gates: list[msgspec.Raw] | None = msgspec.field(name="schedulingGates", default=None)
    priority: int | None = None
    priority_class: _Text = msgspec.field(name="priorityClassName", default=None)
    preemption: _Text = msgspec.field(name="preemptionPolicy", default=None)
    scheduler_name: _Text = msgspec.field(name="schedulerName", default=None)
    tolerations: msgspec.Raw = _NULL
    node_selector: msgspec.Raw = msgspec.field(name="nodeSelector", default=_NULL)
    affinity: msgspec.Raw = _NULL
    spread: msgspec.Raw = msgspec.field(name="topologySpreadConstraints", default=_NULL)
    volumes: msgspec.Raw = _NULL
    claims: msgspec.Raw = msgspec.field(name="resourceClaims", default=_NULL)


class _ContainerStatus(RawState):
    resources: msgspec.Raw = _NULL
    allocated: msgspec.Raw = msgspec.field(name="allocatedResources", default=_NULL)


class _Status(msgspec.Struct):
    phase: str = ""
    containers: list[_ContainerStatus] | None = msgspec.field(name="containerStatuses", default=None)
    init: list[_ContainerStatus] | None = msgspec.field(name="initContainerStatuses", default=None)
    started: _Text = msgspec.field(name="startTime", default=None)
    reason: str = ""
    message: _Text = None
    conditions: list[RawCondition] | None = None
    nominated: _Text = msgspec.field(name="nominatedNodeName", default=None)


class _Pod(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec
    status: _Status | None = None


_POD = msgspec.json.Decoder(_Pod)
_ENDED = {"Succeeded": WorkloadState.SUCCEEDED, "Failed": WorkloadState.FAILED}
_NO = {"false", "False", "FALSE", "f", "F", "0"}
_ADMISSION = ("UnexpectedAdmissionError", "OutOf", "TopologyAffinityError")
"""Why the kubelet fails a pod that was bound to it (1.36): OutOfnvidia.com/gpu."""
_WORD = re.compile(r"[^\s,;]+")
_GOING = {"Running": WorkloadState.RUNNING, "Unknown": WorkloadState.UNKNOWN}


def pods(cluster: str) -> Kind[Pod]:
    """The pods of a cluster."""
    return Kind(path="/api/v1/pods", read=partial(read_pod, cluster), namespaced=True)


def read_pod(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> Pod:
    """Read one pod."""
    pod = decode_object(_POD, raw, problems, vital=_VITAL)
    metadata, spec, status = pod.metadata, pod.spec, pod.status or _Status()
    controller = _controller(metadata)
    asked = read_requests(_raw_requests(spec, status))
    problems += asked.problems
    return Pod(
        cluster=cluster,
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
        phase=status.phase,
        state=_state(pod, status.phase),
        node_name=spec.node_name or None,
        gpus=asked.gpus,
        requests=asked.requests,
        priority=spec.priority,
        priority_class=spec.priority_class,
        controller=controller,
        group_name=metadata.annotations.group_name if metadata.annotations else None,
        scheduler_name=spec.scheduler_name,
        created_at=read_time(metadata.created, "metadata.creationTimestamp", problems),
        started_at=read_time(status.started, "status.startTime", problems),
        terminating=bool(metadata.deleted),
        ended=status.phase in _ENDED,
        labels=_labels(tuple((metadata.labels or {}).items())),
        constraints=_constraints(pod),
        turned_down=_turned_down(spec, status, problems),
        nominated_node=None if spec.node_name else status.nominated or None,
        gated=bool(spec.gates),
        preempts=spec.preemption != "Never",
        preemptable=_preemptable(metadata),
        task=metadata.annotations.task if metadata.annotations else None,
        gpus_given=_given(metadata, asked.gpus),
        containers=_containers(status) if operand_of(controller) else (),
    )


def _raw_requests(spec: _Spec, status: _Status) -> RawRequests:
    sidecars = {it.name for it in spec.init or () if it.restart_policy == "Always"}
    starting = [it for it in status.init or () if it.name in sidecars]
    running = {it.name: it for it in (*(status.containers or ()), *starting)}
    hopeless = any(
        it.type == "PodResizePending" and it.reason == "Infeasible" for it in status.conditions or ()
    )
    return RawRequests(
        containers=tuple(
            [_raw_container(it, running.get(it.name), hopeless=hopeless) for it in spec.containers or ()]
        ),
        init=tuple([_raw_container(it, running.get(it.name), hopeless=hopeless) for it in spec.init or ()]),
        pod_level=bytes(spec.resources),
        overhead=bytes(spec.overhead),
    )


def _raw_container(container: _Container, status: _ContainerStatus | None, *, hopeless: bool) -> RawContainer:
    """What it asks and has; what it asks in vain does not count (kube-scheduler 1.36)."""
    sidecar = container.restart_policy == "Always"
    if status is None or status.resources == _NULL:
        return RawContainer(bytes(container.resources), sidecar)
    asked = _NULL if hopeless else container.resources
    return RawContainer(bytes(asked), sidecar, (bytes(status.resources), bytes(status.allocated)))


def _constraints(pod: _Pod) -> Constraints | Unknown:
    spec = pod.spec
    sidecars = [it.ports for it in spec.init or () if it.restart_policy == "Always"]
    ports = [bytes(it) for it in (*(it.ports for it in spec.containers or ()), *sidecars) if it != _NULL]
    raw = RawConstraints(
        tolerations=bytes(spec.tolerations),
        node_selector=bytes(spec.node_selector),
        affinity=bytes(spec.affinity),
        spread=bytes(spec.spread),
        ports=tuple(ports),
        claims_devices=spec.claims not in _NOTHING,
    )
    return read_constraints(raw, () if spec.node_name else read_volumes(spec.volumes, pod.metadata.name))


@lru_cache(maxsize=4096)
def _labels(pairs: tuple[tuple[str, str], ...]) -> Map[str, str]:
    return Map(pairs)


def _preemptable(metadata: _Metadata) -> bool:
    """Whether Volcano may evict it (to 1.16): its annotation decides, else its label; else it may."""
    told = metadata.annotations.preemptable if metadata.annotations else None
    if told is None:
        told = (metadata.labels or {}).get("volcano.sh/preemptable")
    return told is None or told not in _NO


def _given(metadata: _Metadata, gpus: tuple[GpuClaim, ...]) -> tuple[str, ...]:
    """What a LimitRange set, as the API server notes it (1.36): `nvidia.com/gpu limit for container main`."""
    told = metadata.annotations.given if metadata.annotations else None
    words = set(_WORD.findall(told)) if told and gpus else ()
    return tuple(one.resource for one in gpus if one.resource in words)


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


def _turned_down(spec: _Spec, status: _Status, problems: list[Problem]) -> Condition | None:
    """What the kubelet, else a scheduler says; of a pod that runs it is of no more interest."""
    if status.phase == "Failed" and status.reason.startswith(_ADMISSION):
        since = read_time(status.started, "status.startTime", problems)
        return Condition(
            type=BY_KUBELET, status="False", reason=status.reason, message=status.message, since=since
        )
    if spec.node_name:
        return None
    told = [one for one in status.conditions or () if (one.type, one.status) == ("PodScheduled", "False")]
    return next(iter(read_conditions(told, problems)), None)


def _containers(status: _Status) -> tuple[ContainerState, ...]:
    return read_containers(status.init or (), status.containers or ())


def _controller(metadata: _Metadata) -> str | None:
    owners = (owner for owner in metadata.owners or () if owner.controller)
    return next((f"{owner.kind}/{owner.name}" for owner in owners), None)
