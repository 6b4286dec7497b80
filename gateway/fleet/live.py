"""A node and its pods as the API server has them at this moment: what the reconciler acts on."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

CORDON_OWNER = "gpu-gateway"
"""The field manager of our cordon."""
LABEL_OWNER = "gpu-gateway-mig"
"""The field manager of the label that we set."""
CORDON = "gpu-gateway/cordon"
"""The annotation beside our cordon: the generation that it is held for."""
HOLD = "gpu-gateway/hold"
"""The annotation by which a person keeps us from a node."""
PAUSED = "gpu-gateway/paused"
"""The annotation of the Lease by which a person stops every effect."""
MIG_CONFIG = "nvidia.com/mig.config"
MIG_STATE = "nvidia.com/mig.config.state"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveNode:
    """A node as it was read just now; every write to it names this uid and this version."""

    name: str
    uid: str
    version: str
    """Its resourceVersion."""
    ready: bool
    boot_id: str | None
    unschedulable: bool
    cordon_owners: tuple[str, ...]
    """Field managers that own spec.unschedulable, ours among them."""
    label_owners: tuple[str, ...]
    """Field managers that own the label nvidia.com/mig.config."""
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    taints: tuple[str, ...]
    """Keys."""
    gpu_capacity: Mapping[str, int | None]
    """GPU resources, as nvidia.com/mig-1g.10gb; None: what stands there is no count."""
    gpu_allocatable: Mapping[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePod:
    """A pod that is bound to the node and has not ended."""

    id: str
    """The workload's id: cluster, namespace, name and uid."""
    namespace: str
    name: str
    uid: str
    holds_gpus: bool
    """By a resource or a claim."""
    owner: str | None
    """kind/name of the controlling owner."""
    is_mirror: bool
    """Made by the kubelet from a file: an eviction does not end it."""
    finalizers: tuple[str, ...]
    created_at: datetime | None
    terminating: bool
    ready: bool

    @property
    def comes_back(self) -> bool:
        """Whether it is there again as soon as it was evicted: a DaemonSet's, or a mirror pod."""
        return self.is_mirror or (self.owner or "").startswith("DaemonSet/")


class Effect(enum.Enum):
    """What came of a write to Kubernetes."""

    DONE = "DONE"
    GONE = "GONE"
    """The thing is not there, or another of the same name."""
    MOVED = "MOVED"
    """It changed since it was read: read again."""
    CONFLICT = "CONFLICT"
    """Another field manager owns it."""
    LATER = "LATER"
    """The server asks to try again."""
    BUDGET = "BUDGET"
    """A disruption budget says not now."""
    REFUSED = "REFUSED"
    """Admission, several budgets, or missing rights: the message says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectResult:
    """What came of a write, in the server's words."""

    effect: Effect
    message: str = ""
    """Empty where it was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutsFile:
    """The MIG manager's configurations, as the cluster has them now."""

    names: frozenset[str]
    """Configurations that it knows."""
    ours: Mapping[str, str]
    """Those that the gateway put into a ConfigMap of its own, as text by name."""
    is_ours: bool
    """Whether the MIG manager reads the gateway's ConfigMap: ClusterPolicy names it."""
    where: str
    """The ConfigMap that the MIG manager reads, as people name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenure:
    """How leading a cluster stands."""

    is_leader: bool
    left_seconds: float
    """Until the lease ends, by a clock that goes on in a suspended process; 0 for who does not lead."""
    paused_by: str | None
    """Who set gpu-gateway/paused on the Lease, as the annotation says; None: it is not there."""
