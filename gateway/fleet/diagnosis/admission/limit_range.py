"""Whether the LimitRanges of its namespace allow what a pod asks of GPUs."""

from gateway.fleet.diagnosis.diagnosis import DiagnosisStep
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod


def check_limit_range(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its LimitRanges; None: none of them is about GPUs."""
