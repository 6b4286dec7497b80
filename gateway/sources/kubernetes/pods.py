"""Reads pods; only what is used is decoded, for there may be 100,000 of them."""

from functools import partial

import msgspec

from gateway.fleet.pod import Pod
from gateway.fleet.workload import WorkloadState
from gateway.sources.kubernetes.decoding import decode_object, read_time
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.kubernetes.requests import RawRequests, read_requests
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


class _Labels(msgspec.Struct):
    preemptable: _Text = msgspec.field(name="volcano.sh/preemptable", default=None)


class _Owner(msgspec.Struct):
    kind: str
    name: str
    controller: bool | None = None


class _Metadata(msgspec.Struct):
    name: str
    namespace: str
    uid: str = ""
    annotations: _Annotations | None = None
    labels: _Labels | None = None
    owners: list[_Owner] | None = msgspec.field(name="ownerReferences", default=None)
    created: _Text = msgspec.field(name="creationTimestamp", default=None)
    deleted: _Text = msgspec.field(name="deletionTimestamp", default=None)


_NULL = msgspec.Raw(b"null")


class _Container(msgspec.Struct):
    resources: msgspec.Raw = _NULL
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


class _Status(msgspec.Struct):
    phase: str = ""
    started: _Text = msgspec.field(name="startTime", default=None)


class _Pod(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec
    status: _Status | None = None


_POD = msgspec.json.Decoder(_Pod)
_ENDED = {"Succeeded": WorkloadState.SUCCEEDED, "Failed": WorkloadState.FAILED}
_NO = {"false", "False", "FALSE", "f", "F", "0"}
_GOING = {"Running": WorkloadState.RUNNING, "Unknown": WorkloadState.UNKNOWN}


def pods(cluster: str) -> Kind[Pod]:
    """The pods of a cluster."""
    return Kind(path="/api/v1/pods", read=partial(read_pod, cluster), namespaced=True)


def read_pod(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> Pod:
    """Read one pod."""
    pod = decode_object(_POD, raw, problems, vital=_VITAL)
    metadata, spec, status = pod.metadata, pod.spec, pod.status or _Status()
    asked = read_requests(_raw_requests(spec))
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
        controller=_controller(metadata),
        group_name=metadata.annotations.group_name if metadata.annotations else None,
        scheduler_name=spec.scheduler_name,
        created_at=read_time(metadata.created, "metadata.creationTimestamp", problems),
        started_at=read_time(status.started, "status.startTime", problems),
        terminating=bool(metadata.deleted),
        ended=status.phase in _ENDED,
        gated=bool(spec.gates),
        preempts=spec.preemption != "Never",
        preemptable=_preemptable(metadata),
    )


def _raw_requests(spec: _Spec) -> RawRequests:
    return RawRequests(
        containers=tuple([bytes(it.resources) for it in spec.containers or ()]),
        init=tuple([(bytes(it.resources), it.restart_policy == "Always") for it in spec.init or ()]),
        pod_level=bytes(spec.resources),
        overhead=bytes(spec.overhead),
    )


def _preemptable(metadata: _Metadata) -> bool:
    """Whether Volcano may evict it (to 1.16): its annotation decides, else its label; else it may."""
    for marks in (metadata.annotations, metadata.labels):
        if marks is not None and marks.preemptable is not None:
            return marks.preemptable not in _NO
    return True


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
