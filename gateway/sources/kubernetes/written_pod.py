"""A pod as it is written, as far as anything of it is used."""

import msgspec

from gateway.sources.kubernetes.conditions import RawCondition
from gateway.sources.kubernetes.containers import RawState

_Text = str | None


class Annotations(msgspec.Struct):
    """Those that schedulers and admission read or write."""

    group_name: _Text = msgspec.field(name="scheduling.k8s.io/group-name", default=None)
    preemptable: _Text = msgspec.field(name="volcano.sh/preemptable", default=None)
    task: _Text = msgspec.field(name="volcano.sh/task-spec", default=None)
    given: _Text = msgspec.field(name="kubernetes.io/limit-ranger", default=None)


class Owner(msgspec.Struct):
    """Who made it."""

    kind: str
    name: str
    controller: bool | None = None


class Metadata(msgspec.Struct):
    """What it is called and whose it is."""

    name: str
    namespace: str
    uid: str = ""
    annotations: Annotations | None = None
    labels: dict[str, str] | None = None
    owners: list[Owner] | None = msgspec.field(name="ownerReferences", default=None)
    created: _Text = msgspec.field(name="creationTimestamp", default=None)
    deleted: _Text = msgspec.field(name="deletionTimestamp", default=None)


NULL = msgspec.Raw(b"null")
NOTHING = (NULL, msgspec.Raw(b"[]"))


class Container(msgspec.Struct):
    """What a container asks."""

    name: str = ""
    resources: msgspec.Raw = NULL
    ports: msgspec.Raw = NULL
    restart_policy: _Text = msgspec.field(name="restartPolicy", default=None)


class Spec(msgspec.Struct):
    """What is asked for it."""

    node_name: _Text = msgspec.field(name="nodeName", default=None)
    containers: list[Container] | None = None
    init: list[Container] | None = msgspec.field(name="initContainers", default=None)
    resources: msgspec.Raw = NULL
    overhead: msgspec.Raw = NULL
    gates: list[msgspec.Raw] | None = msgspec.field(name="schedulingGates", default=None)
    priority: int | None = None
    priority_class: _Text = msgspec.field(name="priorityClassName", default=None)
    preemption: _Text = msgspec.field(name="preemptionPolicy", default=None)
    scheduler_name: _Text = msgspec.field(name="schedulerName", default=None)
    tolerations: msgspec.Raw = NULL
    node_selector: msgspec.Raw = msgspec.field(name="nodeSelector", default=NULL)
    affinity: msgspec.Raw = NULL
    spread: msgspec.Raw = msgspec.field(name="topologySpreadConstraints", default=NULL)
    volumes: msgspec.Raw = NULL
    claims: msgspec.Raw = msgspec.field(name="resourceClaims", default=NULL)


class ContainerStatus(RawState):
    """How a container is."""

    resources: msgspec.Raw = NULL
    allocated: msgspec.Raw = msgspec.field(name="allocatedResources", default=NULL)


class Status(msgspec.Struct):
    """How it is."""

    phase: str = ""
    containers: list[ContainerStatus] | None = msgspec.field(name="containerStatuses", default=None)
    init: list[ContainerStatus] | None = msgspec.field(name="initContainerStatuses", default=None)
    started: _Text = msgspec.field(name="startTime", default=None)
    reason: str = ""
    message: _Text = None
    conditions: list[RawCondition] | None = None
    nominated: _Text = msgspec.field(name="nominatedNodeName", default=None)


class Pod(msgspec.Struct):
    """A pod."""

    metadata: Metadata
    spec: Spec
    status: Status | None = None
