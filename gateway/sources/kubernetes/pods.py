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
from gateway.sources.kubernetes import written_pod as written
from gateway.sources.kubernetes.conditions import read_conditions
from gateway.sources.kubernetes.constraints import RawConstraints, read_constraints
from gateway.sources.kubernetes.containers import read_containers
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
_POD = msgspec.json.Decoder(written.Pod)
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
    metadata, spec, status = pod.metadata, pod.spec, pod.status or written.Status()
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


def _raw_requests(spec: written.Spec, status: written.Status) -> RawRequests:
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


def _raw_container(
    container: written.Container, status: written.ContainerStatus | None, *, hopeless: bool
) -> RawContainer:
    """What it asks and has; what it asks in vain does not count (kube-scheduler 1.36)."""
    sidecar = container.restart_policy == "Always"
    if status is None or status.resources == written.NULL:
        return RawContainer(bytes(container.resources), sidecar)
    asked = written.NULL if hopeless else container.resources
    return RawContainer(bytes(asked), sidecar, (bytes(status.resources), bytes(status.allocated)))


def _constraints(pod: written.Pod) -> Constraints | Unknown:
    spec = pod.spec
    sidecars = [it.ports for it in spec.init or () if it.restart_policy == "Always"]
    ports = [
        bytes(it) for it in (*(it.ports for it in spec.containers or ()), *sidecars) if it != written.NULL
    ]
    raw = RawConstraints(
        tolerations=bytes(spec.tolerations),
        node_selector=bytes(spec.node_selector),
        affinity=bytes(spec.affinity),
        spread=bytes(spec.spread),
        ports=tuple(ports),
        claims_devices=spec.claims not in written.NOTHING,
    )
    return read_constraints(raw, () if spec.node_name else read_volumes(spec.volumes, pod.metadata.name))


@lru_cache(maxsize=4096)
def _labels(pairs: tuple[tuple[str, str], ...]) -> Map[str, str]:
    return Map(pairs)


def _preemptable(metadata: written.Metadata) -> bool:
    """Whether Volcano may evict it (to 1.16): its annotation decides, else its label; else it may."""
    told = metadata.annotations.preemptable if metadata.annotations else None
    if told is None:
        told = (metadata.labels or {}).get("volcano.sh/preemptable")
    return told is None or told not in _NO


def _given(metadata: written.Metadata, gpus: tuple[GpuClaim, ...]) -> tuple[str, ...]:
    """What a LimitRange set, as the API server notes it (1.36): `nvidia.com/gpu limit for container main`."""
    told = metadata.annotations.given if metadata.annotations else None
    words = set(_WORD.findall(told)) if told and gpus else ()
    return tuple(one.resource for one in gpus if one.resource in words)


def _state(pod: written.Pod, phase: str) -> WorkloadState:
    if phase in _ENDED:
        return _ENDED[phase]
    if pod.metadata.deleted:
        return WorkloadState.TERMINATING
    if phase in _GOING:
        return _GOING[phase]
    if phase not in {"Pending", ""}:
        return WorkloadState.UNKNOWN
    return WorkloadState.STARTING if pod.spec.node_name else WorkloadState.PENDING


def _turned_down(spec: written.Spec, status: written.Status, problems: list[Problem]) -> Condition | None:
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


def _containers(status: written.Status) -> tuple[ContainerState, ...]:
    return read_containers(status.init or (), status.containers or ())


def _controller(metadata: written.Metadata) -> str | None:
    owners = (owner for owner in metadata.owners or () if owner.controller)
    return next((f"{owner.kind}/{owner.name}" for owner in owners), None)
