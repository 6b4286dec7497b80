"""Whose cards a machine has, and by which names their software speaks of them."""

import re
from dataclasses import dataclass

from gateway.fleet.node import KubernetesNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """A maker of GPUs."""

    name: str
    resource: str
    """What its device plugin offers whole cards as."""
    pci: re.Pattern[str]
    """Labels by which node-feature-discovery says that such a card is on the PCI bus."""
    version_label: str | None
    upgrade_label: str | None

    @property
    def prefix(self) -> str:
        """The prefix of its labels and resources."""
        return self.resource.partition("/")[0] + "/"


def _pci(number: str) -> re.Pattern[str]:
    return re.compile(rf"feature\.node\.kubernetes\.io/pci-([0-9a-f]+_)*{number}(_[0-9a-f]+)*\.present")


NVIDIA = Vendor(
    name="NVIDIA",
    resource="nvidia.com/gpu",
    pci=_pci("10de"),
    version_label="nvidia.com/cuda.driver-version.full",
    upgrade_label="nvidia.com/gpu-driver-upgrade-state",
)
_AMD = Vendor(
    name="AMD",
    resource="amd.com/gpu",
    pci=re.compile(rf"{_pci('1002').pattern}|feature\.node\.kubernetes\.io/amd-gpu"),
    version_label="amd.com/gpu.driver-version",
    upgrade_label="operator.amd.com/gpu-driver-upgrade-state",
)
_INTEL = Vendor(
    name="Intel",
    resource="gpu.intel.com/i915",
    pci=re.compile(rf"{_pci('03[0-9]+_8086').pattern}|intel\.feature\.node\.kubernetes\.io/gpu"),
    version_label=None,
    upgrade_label=None,
)


def vendor_of(node: KubernetesNode) -> Vendor:
    """Whose cards it has; NVIDIA's where nothing says."""
    return next((one for one in (NVIDIA, _AMD, _INTEL) if _is_of(node, one)), NVIDIA)


def _is_of(node: KubernetesNode, vendor: Vendor) -> bool:
    names = (*node.labels, *(one.name for one in node.resources))
    return any(name.startswith(vendor.prefix) or vendor.pci.fullmatch(name) for name in names)
