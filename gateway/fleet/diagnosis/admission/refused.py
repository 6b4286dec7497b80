"""Pods that the API server refused: they never came to be, and only an event about their owner says why."""

from gateway.fleet.event import Event
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode

_PREFIX = "Error creating: "


def words_of(event: Event) -> str:
    """What the API server said to the controller that reports it."""
    return event.message.removeprefix(_PREFIX)


def refusal(pod: Pod, fleet: Fleet, *codes: PendingCode) -> Event | None:
    """The newest word that more pods of the same owner were refused for one of these reasons."""
    kind, _, name = (pod.controller or "").partition("/")
    about = (kind, pod.namespace, name)
    said = [
        event
        for event in fleet.events(pod.cluster)
        if (event.about_kind, event.about_namespace, event.about_name) == about
        and read_message(event.message).code in codes
    ]
    return max(said, key=lambda event: event.last_seen or fleet.now, default=None)
