"""AMD's GPUs: cards, or the parts that their compute partitioning cuts them into."""

import re
from collections.abc import Iterator
from math import ceil

from gateway.errors import System
from gateway.fleet.gpu import ExtendedResource
from gateway.fleet.node import KubernetesNode
from gateway.fleet.offer import capacity_of, offers
from gateway.fleet.sums import above, total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown, undetermined

PREFIX = "amd.com/"
_GPU = "amd.com/gpu"
_PARTITION = re.compile(r"(?:amd\.com/)?(?P<mode>[sdtqc]px)_nps\d+", re.IGNORECASE)
_MODE = "amd.com/compute-memory-partition"
_DIVISIBLE = "amd.com/compute-partitioning-supported"
_PRODUCT = "amd.com/gpu.product-name"
_PARTS = {"spx": 1, "dpx": 2, "tpx": 3, "qpx": 4}
_DIES = {"MI300A": 6, "MI300X": 8, "MI308X": 4, "MI325X": 8, "MI350X": 8, "MI355X": 8}
"""Compute dies of a model: as many parts has a card under CPX."""
_MOST_CARDS = 8
"""On one baseboard of the models that can be partitioned."""


def amd_cards(node: KubernetesNode) -> int | Unknown:
    """Count a node's cards by how they are partitioned."""
    names = [one.name for one in node.resources if one.name.startswith(PREFIX) and _has(node, one.name)]
    if _GPU in names and len(names) > 1:
        return _untold(f"{_GPU} stands beside {names[1]}, and one of them is left over")
    return total((name, _cards_of(node, name)) for name in names)


def amd_unit(node: KubernetesNode, resource: str) -> GpuUnit | None:
    """Tell whether a resource counts cards or parts of them; None while nothing decides it."""
    if isinstance(_cards_of(node, resource), Unknown):
        return None
    return GpuUnit.CARD if _parts(node, resource) == 1 else GpuUnit.SLICE


def amd_whole(node: KubernetesNode) -> int | Unknown:
    """Count the cards that are offered whole."""
    return total((one.name, _cards_of(node, one.name)) for one in node.resources if _is_whole(node, one.name))


def amd_lost(node: KubernetesNode, resources: tuple[ExtendedResource, ...]) -> int | Unknown:
    """Count the least cards that the missing parts are of."""
    return total((one.name, _lost(node, one)) for one in resources if one.unit is GpuUnit.SLICE)


def _lost(node: KubernetesNode, resource: ExtendedResource) -> int | Unknown:
    parts = _parts(node, resource.name) if resource.name.startswith(PREFIX) else None
    if parts is None:
        return 0
    missing = above(resource.capacity, resource.allocatable) or 0
    return missing if isinstance(missing, Unknown) else ceil(missing / parts)


def _has(node: KubernetesNode, name: str) -> bool:
    """Whether there is any of it, or may be; what stands unread beside named partitions takes nothing."""
    return offers(node, _GPU) if name == _GPU else capacity_of(node, name) not in {None, 0}


def _is_whole(node: KubernetesNode, name: str) -> bool:
    return name.startswith(PREFIX) and amd_unit(node, name) is GpuUnit.CARD


def _cards_of(node: KubernetesNode, name: str) -> int | Unknown:
    count, parts = capacity_of(node, name), _parts(node, name)
    if parts is None:
        return _untold(f"{name} counts cards or parts of them, and no label tells into how many")
    if count is None or isinstance(count, Unknown) or parts == 1:
        return count or 0
    if count % parts:
        return _untold(f"{count} of {name} are no number of cards of {parts} parts")
    if name == _GPU and count <= _MOST_CARDS:
        said = (
            f"{count} of {name} are cards or parts of them, which releases of AMD's device plugin differ in"
        )
        return _untold(said)
    return count // parts


def _parts(node: KubernetesNode, name: str) -> int | None:
    """Into how many parts the cards that a resource counts are cut."""
    told = node.labels.get(_MODE, "") if name == _GPU else name
    if name == _GPU and not told and node.labels.get(_DIVISIBLE) == "false":
        return 1
    form = _PARTITION.fullmatch(told)
    mode = form["mode"].lower() if form else ""
    return next(_dies(node), None) if mode == "cpx" else _PARTS.get(mode)


def _dies(node: KubernetesNode) -> Iterator[int]:
    product = node.labels.get(_PRODUCT, "").upper()
    return (dies for model, dies in _DIES.items() if model in product)


def _untold(reason: str) -> Unknown:
    return undetermined(System.KUBERNETES, reason)
