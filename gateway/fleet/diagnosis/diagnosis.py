"""What was checked, what was found, and the least that would have to change."""

import enum
from dataclasses import dataclass

from gateway.fleet.alert import Evidence, Remedy
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import Unknown


class DiagnosisCheck(enum.Enum):
    """What is checked: of a pod down to FRAGMENTATION, of a node from HARDWARE on."""

    REQUEST_SHAPE = "REQUEST_SHAPE"
    LIMIT_RANGE = "LIMIT_RANGE"
    QUOTA = "QUOTA"
    QUEUE = "QUEUE"
    GANG = "GANG"
    PRIORITY = "PRIORITY"
    SCHEDULING_GATES = "SCHEDULING_GATES"
    TAINTS = "TAINTS"
    NODE_AFFINITY = "NODE_AFFINITY"
    GPU_MEMORY = "GPU_MEMORY"
    CAPACITY = "CAPACITY"
    MIG_LAYOUT = "MIG_LAYOUT"
    FRAGMENTATION = "FRAGMENTATION"
    HARDWARE = "HARDWARE"
    DRIVER = "DRIVER"
    RUNTIME = "RUNTIME"
    DEVICE_PLUGIN = "DEVICE_PLUGIN"
    KUBELET = "KUBELET"
    LABELS = "LABELS"
    MIG_STATE = "MIG_STATE"
    SHARING_CONFIG = "SHARING_CONFIG"
    POD_SECURITY = "POD_SECURITY"
    OTHER = "OTHER"


class StepOutcome(enum.Enum):
    """What came of a check."""

    PASS = "PASS"  # noqa: S105  no password
    FAIL = "FAIL"
    WARN = "WARN"
    """It does not keep anything from running by itself."""
    UNKNOWN = "UNKNOWN"
    """What decides is not modelled, or a system is silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisStep:
    """One check."""

    check: DiagnosisCheck
    outcome: StepOutcome
    finding: str
    """A sentence."""
    code: PendingCode | None = None
    """What a pod waits for where this check fails."""
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All checks of a pod, and what they come to."""

    pod: Pod
    verdict: str
    """A sentence."""
    code: PendingCode | None
    """None: nothing keeps it waiting, or nobody can say what."""
    steps: tuple[DiagnosisStep, ...]
    """In the order in which they were made."""
    remedies: tuple[Remedy, ...] = ()
    """The least change after which it runs."""
    nodes: tuple[JudgedNode, ...] = ()
    """Every machine that its scheduler sees, by name."""
    silent: Unknown | None = None
    """Why there may be more machines than those."""
