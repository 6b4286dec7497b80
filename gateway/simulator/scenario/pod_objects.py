"""Pod and PodGroup objects as Volcano and a kubelet leave them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from gateway.simulator.scenario.node_objects import stamp, uid
from gateway.simulator.scenario.work import ANY_GPU, Form, Work
from gateway.simulator.store import Json

_OWNER_VERSION = {Form.GANG: "batch/v1", Form.SERVICE: "apps/v1"}
_GROUP = "scheduling.k8s.io/group-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """One pod of some work, and where it was placed."""

    work: Work
    name: str
    node: str | None
    created: datetime
    waits_for: str = ""
    """Why it was not placed, in the scheduler's words."""
    again: int = 0
    """How often its owner made it anew after an eviction: each time it is another pod."""


def group_name(work: Work) -> str | None:
    """The PodGroup that Volcano makes for the owner of the pods; pods of other schedulers have none."""
    if work.scheduler != "volcano":
        return None
    return f"podgroup-{_owner_uid(work)}"


def pod_object(pod: Pod) -> Json:
    """The Pod."""
    work = pod.work
    annotations = {"scheduling.volcano.sh/queue-name": work.queue, _GROUP: group_name(work)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": pod.name,
            "namespace": work.namespace,
            "uid": uid("pod", work.namespace, pod.name, *(str(pod.again) if pod.again else "")),
            "creationTimestamp": stamp(pod.created),
            "labels": {"app": work.name},
            "annotations": annotations if work.scheduler == "volcano" else {},
            "ownerReferences": _owners(work),
        },
        "spec": _spec(pod),
        "status": _running(pod) if pod.node else _waiting(pod),
    }


def pod_group_object(work: Work, placed: int, began: datetime, waits_for: str) -> Json:
    """The PodGroup of some work: running, or waiting with Volcano's condition."""
    gang = work.form is Form.GANG
    phase = "Inqueue" if waits_for else "Running"
    kind, reason = ("Unschedulable", "NotEnoughResources") if waits_for else ("Scheduled", "")
    condition = {
        "type": kind,
        "status": "True",
        "transitionID": uid("transition", work.namespace, work.name),
        "lastTransitionTime": stamp(began - timedelta(minutes=17)),
        "reason": reason or "tasks in gang are ready to be scheduled",
    } | ({"message": waits_for} if waits_for else {})
    member = work.pods if gang else 1
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "name": group_name(work),
            "namespace": work.namespace,
            "uid": uid("podgroup", work.namespace, work.name),
            "creationTimestamp": stamp(began - timedelta(hours=5)),
            "ownerReferences": _owners(work),
        },
        "spec": {
            "minMember": member,
            "minResources": {**_requests(work, member), "pods": str(member), "count/pods": str(member)},
            "queue": work.queue,
        },
        "status": {"phase": phase, "conditions": [condition]} | ({"running": placed} if placed else {}),
    }


def _requests(work: Work, pods: int = 1) -> dict[str, str]:
    return {
        "cpu": str(work.cpus * pods),
        "memory": f"{work.memory_gib * pods}Gi",
        work.resource: str(work.devices * pods),
    }


def _owner_uid(work: Work) -> str:
    return uid("owner", work.namespace, work.name)


def _owners(work: Work) -> list[Json]:
    if work.form is Form.BARE:
        return []
    owner = {"apiVersion": _OWNER_VERSION[work.form], "kind": work.form.value, "name": work.name}
    return [owner | {"uid": _owner_uid(work), "controller": True, "blockOwnerDeletion": True}]


def _spec(pod: Pod) -> Json:
    work = pod.work
    requests = _requests(work)
    container = {
        "name": "main",
        "image": f"{work.namespace}/{work.name}:1",
        "resources": {"requests": requests, "limits": {work.resource: requests[work.resource]}},
    }
    spec = {
        "containers": [container],
        "restartPolicy": "Always" if work.form is Form.SERVICE else "Never",
        "schedulerName": work.scheduler,
        "priority": 1000 if work.form is Form.GANG else 0,
        "tolerations": [ANY_GPU],
        "terminationGracePeriodSeconds": 30,
    }
    return spec | work.spec | ({"nodeName": pod.node} if pod.node else {})


def _running(pod: Pod) -> Json:
    started = stamp(pod.created + timedelta(seconds=2))
    ready = ("PodScheduled", "Initialized", "ContainersReady", "Ready")
    container = {
        "name": "main",
        "ready": True,
        "restartCount": 0,
        "image": f"{pod.work.namespace}/{pod.work.name}:1",
        "imageID": "",
        "containerID": f"containerd://{uid('container', pod.work.namespace, pod.name)}",
        "state": {"running": {"startedAt": started}},
    }
    return {
        "phase": "Running",
        "startTime": started,
        "conditions": [{"type": kind, "status": "True", "lastTransitionTime": started} for kind in ready],
        "containerStatuses": [container],
        "qosClass": "Burstable",
    }


def _waiting(pod: Pod) -> Json:
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "lastTransitionTime": stamp(pod.created),
        "reason": "SchedulingGated" if "schedulingGates" in pod.work.spec else "Unschedulable",
        "message": pod.waits_for,
    }
    return {"phase": "Pending", "conditions": [condition], "qosClass": "Burstable"}
