"""A machine that offers GPUs."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import condition
from gateway.fleet import node as records
from gateway.fleet.history import Writer
from gateway.fleet.platform import Target
from resolvers import alert as alerting
from resolvers import chain
from resolvers import desired as wishes
from resolvers import history as past
from resolvers import node as resolve
from schema.alert import Alert
from schema.desired import HealthReason, NodeDesired, NodeObserved, ReportedHealth
from schema.diagnosis import DiagnosisStep
from schema.entity import Entity, Workload
from schema.gpu import Money, NodeGpus
from schema.history import FieldChange
from schema.mig_slice import MigSlice
from schema.paging import Connection
from schema.provenance import EVERY, MACHINES, derived, kubernetes, owned_by, platform
from schema.slurm import SlurmNode
from schema.unknown import Unknown
from schema.view import answer, attribute, unknowns, view

if TYPE_CHECKING:
    from schema.cluster import Cluster
    from schema.pod import Pod
    from schema.tenant import Tenant

KUBERNETES, PLATFORM, SLURM = System.KUBERNETES, System.PLATFORM, System.SLURM


@view(records.Taint)
class Taint:
    """Keeps work away that does not tolerate it."""

    key: str = attribute("What it is about.", kubernetes("spec.taints[].key"))
    value: str | None = attribute("What a toleration must name too.", kubernetes("spec.taints[].value"))
    effect: str = attribute("NoSchedule, PreferNoSchedule or NoExecute.", kubernetes("spec.taints[].effect"))


@view(records.Label)
class Label:
    """A label of a machine."""

    key: str = attribute("Its key, prefix and all.", kubernetes("metadata.labels"))
    value: str = attribute("Its value; may be empty.", kubernetes("metadata.labels"))


@view(condition.Condition)
class Condition:
    """One aspect of an object's state, as the object carries it."""

    type: str = attribute("Which aspect.", kubernetes("status.conditions[].type"))
    status: str = attribute("True, False or Unknown.", kubernetes("status.conditions[].status"))
    reason: str | None = attribute("One word.", kubernetes("status.conditions[].reason"))
    message: str | None = attribute("For people.", kubernetes("status.conditions[].message"))
    since: datetime | None = attribute(
        "When the status changed last.", kubernetes("status.conditions[].lastTransitionTime")
    )


@view(records.NodeHealth)
class NodeHealth:
    """Healthy means usable: Ready, every expected card allocatable, and no change in progress."""

    healthy: bool | None = attribute("Null where it cannot be told.", derived("health", *MACHINES))
    reasons: list[HealthReason] = attribute("What stands against it.")
    expected_cards: int | None = attribute(
        "Cards that should be usable.", derived("cards", KUBERNETES, SLURM)
    )
    usable_cards: int | None = attribute("Cards that are.", derived("health", *MACHINES))


@view(records.Node)
class Node(Entity):
    """A machine that offers GPUs. It serves one target, never both."""

    id: strawberry.ID
    name: str = attribute(
        "The name that every system calls it by.", derived("identity", KUBERNETES, PLATFORM, SLURM)
    )
    cluster: Annotated["Cluster", strawberry.lazy("schema.cluster")] = answer(resolve.cluster)
    target: Target | None = attribute(
        "Which scheduler it serves; null where no record says.", platform("node_record.target"), of="record"
    )
    tenant: Annotated["Tenant", strawberry.lazy("schema.tenant")] | None = answer(
        resolve.tenant, platform("node_record.tenant_id")
    )
    known_to: list[System] = attribute(
        "Which systems know this machine. A silent system stands in unknowns.",
        derived("identity", KUBERNETES, PLATFORM, SLURM),
    )
    ready: bool | None = attribute(
        "The kubelet says so.", kubernetes("status.conditions[Ready]"), of="kubernetes"
    )
    cordoned: bool | None = attribute(
        "No new work is placed here.", kubernetes("spec.unschedulable"), of="kubernetes"
    )
    cordoned_by: str | None = attribute(
        "Who cordoned it: the field manager that owns spec.unschedulable; undetermined without any.",
        kubernetes("metadata.managedFields"),
        of="kubernetes",
    )
    taints: list[Taint] | None = attribute("What keeps work away.", of="kubernetes", needs=[KUBERNETES])
    labels: list[Label] | None = answer(resolve.labels, needs=[KUBERNETES])
    conditions: list[Condition] | None = attribute(
        "As the kubelet and controllers wrote them.", of="kubernetes", needs=[KUBERNETES]
    )
    kubelet_version: str | None = attribute(
        "The release of its kubelet.", kubernetes("status.nodeInfo.kubeletVersion"), of="kubernetes"
    )
    container_runtime: str | None = attribute(
        "The runtime and its release.",
        kubernetes("status.nodeInfo.containerRuntimeVersion"),
        of="kubernetes",
    )
    gpus: NodeGpus | None = attribute("Its GPUs; null where it has none.", needs=[KUBERNETES, SLURM])
    mig_slices: list[MigSlice] | None = attribute("Its slices, a group for each profile.", needs=[KUBERNETES])
    health: NodeHealth | None = attribute("Whether its GPUs are usable.", needs=MACHINES)
    slurm: SlurmNode | None = attribute(
        "What Slurm says of it; null where Slurm does not know it.", needs=[SLURM]
    )
    pods: Connection[Annotated["Pod", strawberry.lazy("schema.pod")]] | None = answer(
        resolve.pods, needs=[KUBERNETES]
    )
    workloads: list[Workload] | None = answer(resolve.workloads, needs=[KUBERNETES, SLURM])
    busy: bool | None = attribute(
        "Any workload at all, whichever scheduler put it there.", derived("busy", KUBERNETES, SLURM)
    )
    desired: NodeDesired | None = attribute(
        "What was asked of it; null: nothing yet.", owned_by(Writer.API), of="record", needs=[PLATFORM]
    )
    observed: NodeObserved | None = attribute(
        "How far that is; null: the reconciler has not looked yet.",
        owned_by(Writer.RECONCILER),
        of="record",
        needs=[PLATFORM],
    )
    reported_health: ReportedHealth | None = answer(
        wishes.reported_health, owned_by(Writer.HEALTH_MONITOR), needs=[PLATFORM], is_part=True
    )
    history: Connection[FieldChange] | None = answer(past.history, needs=[PLATFORM])
    cost_per_hour: Money | None = answer(resolve.cost_per_hour, needs=MACHINES)
    gpu_chain: list[DiagnosisStep] | None = answer(chain.gpu_chain, needs=[KUBERNETES])
    alerts: Connection[Alert] | None = answer(alerting.of_node, needs=EVERY)
    unknowns: list[Unknown] = unknowns()
