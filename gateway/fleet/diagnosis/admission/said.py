"""What events say of the owner of a pod or of its group; of pods that never came to be nothing else tells."""

from gateway.fleet.event import Event
from gateway.fleet.fleet import Fleet
from gateway.fleet.pending.over import QUIET
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode

_PREFIX = "Error creating: "


def refusal(pod: Pod, fleet: Fleet, *codes: PendingCode) -> Event | None:
    """The newest word that more pods of the same owner are refused for one of these reasons."""
    event = newest(pod.controller, pod, fleet, *codes)
    if event and event.last_seen and fleet.now - event.last_seen > QUIET:
        return None  # its controller would have tried again
    return event


def newest(about: str | None, pod: Pod, fleet: Fleet, *codes: PendingCode) -> Event | None:
    """The newest word for one of these reasons about kind/name in the namespace of a pod."""
    said = [
        event
        for event in fleet.events(pod.cluster)
        if event.about_namespace == pod.namespace
        and f"{event.about_kind}/{event.about_name}" == about
        and read_message(event.message).code in codes
    ]
    return max(said, key=lambda event: event.last_seen or fleet.now, default=None)


def words_of(event: Event) -> str:
    """What was said, without what the reporter puts before it."""
    return event.message.removeprefix(_PREFIX)
