"""Reads events, in both of their forms: old recorders count in the event, new ones in its series."""

from datetime import datetime
from functools import partial

import msgspec

from gateway.fleet.event import EVENTS, NO_SANDBOX, Event
from gateway.fleet.pending.heard import shortened
from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.decoding import decode_object, read_time
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem

_Text = str | None


class _Metadata(msgspec.Struct):
    name: str
    namespace: str = ""
    uid: str = ""
    created: _Text = msgspec.field(name="creationTimestamp", default=None)


class _About(msgspec.Struct):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class _Series(msgspec.Struct):
    count: int = 1
    last: _Text = msgspec.field(name="lastObservedTime", default=None)


class _Source(msgspec.Struct):
    component: str = ""


class _Event(msgspec.Struct):
    metadata: _Metadata
    about: _About = msgspec.field(name="involvedObject", default_factory=_About)
    reason: str = ""
    message: str = ""
    source: _Source | None = None
    reporter: str = msgspec.field(name="reportingComponent", default="")
    count: int | None = None
    first: _Text = msgspec.field(name="firstTimestamp", default=None)
    last: _Text = msgspec.field(name="lastTimestamp", default=None)
    at: _Text = msgspec.field(name="eventTime", default=None)
    series: _Series | None = None


_EVENT = msgspec.json.Decoder(_Event)
_LONGEST_NAME = 253
_WAITING = {
    "FailedScheduling",
    "Unschedulable",
    "FailedCreate",
    "Pending",
    "QuotaReserved",
    "NotTriggerScaleUp",
}


def events(cluster: str) -> Kind[Event]:
    """The events of a cluster that say why work waits."""
    return Kind(path=f"/api/v1/{EVENTS}", read=partial(read_event, cluster), namespaced=True, optional=True)


def read_event(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> Event | None:
    """Read one event; None where it is about something else."""
    event = decode_object(_EVENT, raw, problems, vital=("involvedObject", "reason", "message"))
    if event.reason not in _WAITING and not _lacks_a_runtime(event):
        return None
    first, last = _times(event, problems)
    return Event(
        cluster=cluster,
        uid=event.metadata.uid or f"{event.metadata.namespace}/{event.metadata.name}",
        about_kind=_name(event.about.kind),
        about_namespace=event.about.namespace,
        about_name=_name(event.about.name),
        about_uid=_name(event.about.uid),
        reason=event.reason,
        message=shortened(event.message),
        reporter=_name(event.reporter or (event.source.component if event.source else "")),
        count=_count(event),
        first_seen=first,
        last_seen=last,
    )


def _lacks_a_runtime(event: _Event) -> bool:
    """Whether a pod waits for a container runtime that its machine does not have (containerd 2.1)."""
    return event.reason == NO_SANDBOX and "no runtime for" in event.message


def _name(text: str) -> str:
    """A name at its longest; the server looks into none of those that an event holds (1.36)."""
    return text[:_LONGEST_NAME].replace("\x00", "\ufffd")


def _count(event: _Event) -> int:
    return max(1, event.count or 1, event.series.count if event.series else 1)


def _times(event: _Event, problems: list[Problem]) -> tuple[datetime | None, datetime | None]:
    """When it was said first and last: of a series, else of the event, else when it was written."""
    series = event.series.last if event.series else None
    first = _time(event.first or event.at or event.metadata.created, "firstTimestamp", problems)
    last = _time(series or event.last or event.at or event.metadata.created, "lastTimestamp", problems)
    return first, last


def _time(text: _Text, path: str, problems: list[Problem]) -> datetime | None:
    time = read_time(text, path, problems)
    return None if isinstance(time, Unknown) else time
