"""What else of a cluster tells of one node's GPUs, beside the node itself."""

from dataclasses import dataclass

from gateway.fleet.dra import ResourceClaim, ResourceSlice
from gateway.fleet.layouts import LayoutFile
from gateway.fleet.unknown import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What tells of one node's GPUs, beside its own object."""

    layouts: tuple[LayoutFile, ...] | Unknown = ()
    """What the MIG managers of the cluster are configured with; none: what they come with."""
    labels_left: bool = False
    """gpu-feature-discovery runs on other nodes of the cluster, and not here."""
    slices: tuple[ResourceSlice, ...] | Unknown = ()
    """What drivers list of the node's devices."""
    claims: tuple[ResourceClaim, ...] | Unknown = ()
    """Claims that were given some of them."""


NOTHING_BESIDE = Beside()
