"""Work that waits, and what is said of it."""

from dataclasses import replace
from datetime import datetime

from gateway.errors import System
from gateway.fleet.condition import Condition
from gateway.fleet.event import EVENTS, Event
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.kueue import WORKLOADS, KueueWorkload
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup
from gateway.fleet.source import SourceKey
from tests.builders import CLUSTER, NOON, a_pod, a_pod_group
from tests.fleets import FRESH

LACKING = "0/18 nodes are available: 18 Insufficient nvidia.com/mig-4g.20gb."
EVENT_LISTING = SourceKey(System.KUBERNETES, CLUSTER, EVENTS)
WORKLOAD_LISTING = SourceKey(System.KUBERNETES, CLUSTER, WORKLOADS)
QUEUED = (
    "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor a100"
)
REFUSED = (
    'Error creating: pods "train-x7" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=2'
)
CORDONED = "0/18 nodes are available: 18 node(s) were unschedulable."


def waiting(message: str | None = LACKING, since: datetime = NOON, name: str = "work-0") -> Pod:
    """A pod that is not bound, and the condition that says why."""
    condition = _condition("PodScheduled", "False", message, since) if message else None
    return replace(
        a_pod(name, node=None, phase="Pending"), turned_down=condition, scheduler_name="default-scheduler"
    )


def a_group(*said: tuple[str, str, datetime], phase: str = "Inqueue") -> PodGroup:
    """A pod group whose conditions, by type, message and time, are all True."""
    conditions = tuple(_condition(kind, "True", message, since) for kind, message, since in said)
    return replace(a_pod_group(phase=phase), uid="uid-gang", conditions=conditions)


def an_event(message: str = LACKING, *, uid: str = "event-1", count: int = 1, **about: str) -> Event:
    """An event of the default scheduler about work-0, or about what else is told."""
    return Event(
        cluster=CLUSTER,
        uid=uid,
        about_kind=about.get("kind", "Pod"),
        about_namespace="training",
        about_name=about.get("name", "work-0"),
        about_uid=about.get("about", "uid-work-0"),
        reason=about.get("reason", "FailedScheduling"),
        message=message,
        reporter=about.get("by", "default-scheduler"),
        count=count,
        first_seen=NOON,
        last_seen=NOON,
    )


def _condition(kind: str, status: str, message: str | None, since: datetime) -> Condition:
    return Condition(type=kind, status=status, reason="Unschedulable", message=message, since=since)


def a_workload(message: str | None = QUEUED) -> KueueWorkload:
    """The workload of a job that waits in a queue of Kueue, or was admitted."""
    waits = _condition("QuotaReserved", "False", message, NOON) if message else None
    return KueueWorkload(
        cluster=CLUSTER,
        namespace="training",
        name="job-train",
        uid="uid-workload",
        owner="Job/train",
        waits=waits,
    )


def speaking(*events: Event, keeper: FleetKeeper) -> FleetKeeper:
    """The keeper, which hears these events too."""
    keeper.replace(EVENT_LISTING, {("training", event.uid): event for event in events}, FRESH)
    return keeper
