"""What a pod demands of the node it is put on, beside resources, as its spec says it."""

from dataclasses import dataclass

from gateway.fleet.selector import LabelSelector, Requirement

EVERYTHING = LabelSelector(requirements=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Toleration:
    """What a pod puts up with."""

    key: str
    """Empty: every key."""
    operator: str
    """Equal, Exists, Gt, Lt."""
    value: str
    effect: str
    """Empty: every effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTerm:
    """Requirements on one node; without any it matches none."""

    labels: LabelSelector
    names: tuple[Requirement, ...] = ()
    """What its name must be like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPort:
    """A port of the node itself."""

    address: str
    """0.0.0.0: every address."""
    protocol: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTerm:
    """Other pods that a pod must be with, or must not be with."""

    selector: LabelSelector | None
    """None matches no pod."""
    namespaces: frozenset[str]
    """Empty, and no selector of namespaces: the pod's own."""
    namespace_selector: LabelSelector | None
    topology_key: str
    """Nodes with the same value of this label are the same place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A rule that no place may hold many more pods than the emptiest one."""

    topology_key: str
    max_skew: int
    least_domains: int
    """Fewer places count as if one more were empty."""
    selector: LabelSelector | None
    same_value_of: tuple[str, ...]
    """Labels in which the pods that count are like this one (matchLabelKeys)."""
    heeds_affinity: bool
    """Only nodes that the pod's own affinity admits are places."""
    heeds_taints: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """A volume on which it depends where the pod may run."""

    claim: str | None
    """The PersistentVolumeClaim; None for the few kinds of disks that need none."""
    ephemeral: bool = False
    """The claim is made for this pod."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """All of it; what is only preferred is left out."""

    tolerations: tuple[Toleration, ...] = ()
    node_selector: LabelSelector = EVERYTHING
    node_terms: tuple[NodeTerm, ...] | None = None
    """One of them must match; None: there is no such rule."""
    host_ports: tuple[HostPort, ...] = ()
    spread: tuple[Spread, ...] = ()
    beside: tuple[PodTerm, ...] = ()
    """Required affinity to other pods."""
    apart: tuple[PodTerm, ...] = ()
    """Required anti-affinity."""
    volumes: tuple[Volume, ...] = ()
    """While it is not bound; afterwards they change nothing."""
    claims_devices: bool = False
    """It has ResourceClaims."""

    @property
    def terms(self) -> int:
        """How many alternatives of nodes and rules about other pods there are to judge."""
        return len(self.node_terms or ()) + len(self.spread) + len(self.beside) + len(self.apart)


UNCONSTRAINED = Constraints()
"""Nothing is demanded."""
