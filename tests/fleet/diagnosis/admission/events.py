"""Events that say why work waits, for tests."""

from gateway.errors import System
from gateway.fleet.event import Event
from gateway.fleet.source import SourceKey
from tests.builders import CLUSTER, NOON
from tests.fleets import FRESH

EVENTS = SourceKey(System.KUBERNETES, CLUSTER, "events")


def an_event(kind, name, reason, message, seen=NOON):
    """An event about something in a namespace."""
    return Event(
        cluster=CLUSTER,
        uid=f"uid-{kind}-{name}-{message}",
        about_kind=kind,
        about_namespace="training",
        about_name=name,
        about_uid=f"uid-{name}",
        reason=reason,
        message=message,
        reporter="test",
        count=1,
        first_seen=seen,
        last_seen=seen,
    )


def refused(kind, name, message, seen=NOON):
    """A controller could not make a pod."""
    return an_event(kind, name, "FailedCreate", f"Error creating: {message}", seen)


def with_events(keeper, events):
    """The keeper, told of these events a moment ago."""
    keeper.replace(EVENTS, {(one.about_namespace, one.uid): one for one in events}, FRESH)
    return keeper
