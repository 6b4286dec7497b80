"""Operands: the DaemonSets that make GPUs of a machine usable, told by how they are called."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from immutables import Map

from gateway.fleet.constraints import Constraints
from gateway.fleet.unknown import Maybe, Unknown

OPERANDS = "operands"
"""What the listing is called."""


class Operand(enum.Enum):
    """What a DaemonSet of the GPU operator, or of a chart of its own, does on a machine."""

    DRA_DRIVER = "DRA driver"
    FEATURE_DISCOVERY = "gpu-feature-discovery"
    TOOLKIT = "container toolkit"
    MIG_MANAGER = "MIG manager"
    VALIDATOR = "operator validator"
    DEVICE_PLUGIN = "device plugin"
    DRIVER = "driver"


_NAMES: Mapping[Operand, re.Pattern[str]] = {
    Operand.DRA_DRIVER: re.compile(r"dra-driver.*gpu|gpu.*dra-driver"),
    Operand.FEATURE_DISCOVERY: re.compile(r"gpu-feature-discovery$"),
    Operand.TOOLKIT: re.compile(r"nvidia-container-toolkit"),
    Operand.MIG_MANAGER: re.compile(r"nvidia-mig-manager"),
    Operand.VALIDATOR: re.compile(r"nvidia-operator-validator"),
    Operand.DEVICE_PLUGIN: re.compile(
        r"^(?!.*(sandbox|mps-control))(?=.*(nvidia|gpu|hami|volcano)).*device-plugin"
    ),
    Operand.DRIVER: re.compile(r"nvidia-(gpu-)?driver"),
}
"""As gpu-operator 25.3, k8s-device-plugin 0.17 and others call them; the first that fits is meant."""


@lru_cache(maxsize=1024)
def operand_of(controller: str | None) -> Operand | None:
    """Which operand a controller, written as DaemonSet/name, is; None: none."""
    kind, _, name = (controller or "").partition("/")
    if kind != "DaemonSet":
        return None
    return next((operand for operand, written in _NAMES.items() if written.search(name)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OperandSet:
    """A DaemonSet that is an operand."""

    cluster: str
    namespace: str
    name: str
    operand: Operand
    runtime_class: str | None
    """By which name its pods ask for a runtime."""
    node_selector: Map[str, str]
    constraints: Constraints | Unknown
    """Where its pods may run, by the selector and all else."""
    privileges: tuple[str, ...]
    """What its pods have that the Pod Security level baseline forbids."""
    config_map: str | None = None
    """Where the device plugin's configurations stand, in its namespace."""
    configs: Maybe[frozenset[str]] = None
    """Their names; None: it mounts none."""
    default_config: str | None = None
    """Which of them nodes have that name none."""

    @property
    def where(self) -> str:
        """As people name it."""
        return f"DaemonSet {self.namespace}/{self.name}"
