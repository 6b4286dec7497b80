"""Whether the queue that a pod waits in lets it through."""

from gateway.fleet.diagnosis.diagnosis import DiagnosisStep
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod


def check_queue(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its queue; None: it waits in none."""
