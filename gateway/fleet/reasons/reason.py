"""A reason why work waits: a code for bots, and what each node is said to lack."""

import enum
from dataclasses import dataclass


class PendingCode(enum.Enum):
    """Why work waits."""

    INSUFFICIENT_RESOURCE = "INSUFFICIENT_RESOURCE"
    UNTOLERATED_TAINT = "UNTOLERATED_TAINT"
    NODE_AFFINITY = "NODE_AFFINITY"
    CORDONED = "CORDONED"
    TOO_MANY_PODS = "TOO_MANY_PODS"
    TOPOLOGY = "TOPOLOGY"
    POD_AFFINITY = "POD_AFFINITY"
    HOST_PORT = "HOST_PORT"
    VOLUME = "VOLUME"
    RESOURCE_CLAIM = "RESOURCE_CLAIM"
    NO_NODES = "NO_NODES"
    GANG_NOT_READY = "GANG_NOT_READY"
    QUEUE_FULL = "QUEUE_FULL"
    QUEUE_CLOSED = "QUEUE_CLOSED"
    QUEUE_UNKNOWN = "QUEUE_UNKNOWN"
    ENQUEUE_LIMIT = "ENQUEUE_LIMIT"
    QUOTA_EXCEEDED = "QUOTA_EXCEEDED"
    LIMIT_RANGE = "LIMIT_RANGE"
    SCHEDULING_GATED = "SCHEDULING_GATED"
    PREEMPTION_IMPOSSIBLE = "PREEMPTION_IMPOSSIBLE"
    WAITING_FOR_PREEMPTION = "WAITING_FOR_PREEMPTION"
    RELEASING = "RELEASING"
    KUBELET_ADMISSION = "KUBELET_ADMISSION"
    MISCONFIGURED = "MISCONFIGURED"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingPart:
    """So many nodes gave the same reason; 0 nodes: it is not about nodes."""

    nodes: int
    code: PendingCode
    resource: str | None = None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedReason:
    """What a message says."""

    code: PendingCode
    """Of all that it says, what is nearest to running."""
    total_nodes: int | None
    """How many nodes were looked at; None where it does not say."""
    parts: tuple[PendingPart, ...] = ()
    """As the message orders them; a node may stand in several."""
    preemption: tuple[PendingPart, ...] = ()
    """What would come of evicting others, node by node; empty where nothing is said."""
    placed: bool = False
    """Nothing waits: it tells of work that was just placed (a Warning of Volcano's at each bind)."""
