"""Whether the pods that a pod is to start with are there, and fit at once."""

from gateway.fleet.diagnosis.diagnosis import DiagnosisStep
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod


def check_gang(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its gang; None: it starts alone."""
