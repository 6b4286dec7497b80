"""Events: what Kubernetes' components say in passing, and forget after an hour."""

from dataclasses import dataclass
from datetime import datetime

EVENTS = "events"
NO_SANDBOX = "FailedCreatePodSandBox"
"""The reason of events about pods that their kubelet cannot even begin to start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event about work that waits."""

    cluster: str
    uid: str
    """Of the event: a text that changed is another one."""
    about_kind: str
    """Pod, PodGroup, Job, ReplicaSet, ..."""
    about_namespace: str
    about_name: str
    about_uid: str
    """Names are used again, so this alone tells whom it is about."""
    reason: str
    message: str
    reporter: str
    """The component that says so: default-scheduler."""
    count: int
    first_seen: datetime | None
    last_seen: datetime | None
