"""Whether the ResourceQuotas of its namespace leave room for a pod."""

from gateway.fleet.diagnosis.diagnosis import DiagnosisStep
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod


def check_quota(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its quotas; None: none of them is about what it asks."""
