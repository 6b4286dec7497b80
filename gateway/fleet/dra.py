"""Devices that drivers list in ResourceSlices, and claims that were given some of them (resource.k8s.io)."""

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gateway.errors import System
from gateway.fleet.unknown import Maybe, Unknown, undetermined

_NVIDIA = "gpu.nvidia.com"


class DeviceKind(enum.Enum):
    """What a listed device is."""

    GPU = "gpu"
    MIG = "mig"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One device of a slice."""

    name: str
    kind: DeviceKind
    uuid: str | None
    parent: str | None
    """The uuid of the card that it is a part of."""
    profile: str | None
    product: str | None
    tainted: bool
    """Nothing may be given of it."""

    @property
    def card(self) -> str | None:
        """The uuid of its card."""
        return self.uuid if self.kind is DeviceKind.GPU else self.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSlice:
    """A part of the devices that a driver lists for a node."""

    cluster: str
    name: str
    driver: str
    pool: str
    generation: int
    slices_of_pool: int
    """How many of this generation make the pool whole."""
    node_name: str | None
    """None: its devices are of no one node."""
    devices: tuple[Device, ...]


class Given(NamedTuple):
    """A device as a claim names it."""

    driver: str
    pool: str
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceClaim:
    """A claim, and what it was given; devices for administrators are shared with whoever holds them."""

    cluster: str
    namespace: str
    name: str
    given: tuple[Given, ...]


class Listed(NamedTuple):
    """A GPU device, where it is listed."""

    at: Given
    device: Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """The GPU devices of one node, by the newest generation of each pool."""

    listed: tuple[Listed, ...]

    @property
    def cards(self) -> frozenset[str]:
        """The cards that are listed, whole or by their parts."""
        return frozenset(one.device.card or "" for one in self.listed)

    @property
    def products(self) -> frozenset[str]:
        """The models that the driver names, in the words of the label nvidia.com/gpu.product."""
        return frozenset((one.device.product or "").replace(" ", "-") for one in self.listed)

    def cut(self, given: frozenset[Given]) -> frozenset[str]:
        """The cards that are cut: listed by their parts alone, or of which a part was given."""
        whole = {one.device.card for one in self.listed if one.device.kind is DeviceKind.GPU}
        parts = [one for one in self.listed if one.device.kind is DeviceKind.MIG]
        return frozenset(
            one.device.card or "" for one in parts if one.device.card not in whole or one.at in given
        )


def devices_of(slices: Iterable[ResourceSlice]) -> Maybe[Devices]:
    """Find the GPU devices of a node's slices; None where no driver lists any."""
    pools: dict[tuple[str, str], list[ResourceSlice]] = {}
    for one in slices:
        pools.setdefault((one.driver, one.pool), []).append(one)
    listed: list[Listed] = []
    for name in sorted(pools):
        if _is_of_gpus(pools[name]):
            newest = _newest(pools[name])
            if isinstance(newest, Unknown):
                return newest
            listed += _listed(newest)
    unnamed = next((one.at for one in listed if not one.device.card), None)
    if unnamed:
        return _untold(f"the device {unnamed.device} of {unnamed.driver} does not say which card it is of")
    return Devices(listed=tuple(listed)) if listed else None


def given_to(claims: Iterable[ResourceClaim]) -> frozenset[Given]:
    """Every device that a claim was given."""
    return frozenset(one for claim in claims for one in claim.given)


def cards_of(slices: Iterable[ResourceSlice] | Unknown) -> Maybe[int]:
    """Count the cards that drivers list; None where none lists any."""
    found = slices if isinstance(slices, Unknown) else devices_of(slices)
    return len(found.cards) if isinstance(found, Devices) else found


def by_resource(devices: Devices, cut: frozenset[str]) -> Mapping[str, list[Listed]]:
    """Group what may be asked for: whole cards by driver, parts of cards that stay cut by their profile."""
    whole = {one.device.card for one in devices.listed if one.device.kind is DeviceKind.GPU}
    groups: dict[str, list[Listed]] = {}
    for one in devices.listed:
        is_card = one.device.kind is DeviceKind.GPU
        if is_card and one.device.card not in cut:
            groups.setdefault(one.at.driver, []).append(one)
        elif not is_card and one.device.card not in whole:
            groups.setdefault(f"{one.at.driver}/{one.device.profile or 'mig'}", []).append(one)
    return groups


def _is_of_gpus(pool: list[ResourceSlice]) -> bool:
    kinds = {device.kind for one in pool for device in one.devices}
    return pool[0].driver == _NVIDIA or not kinds.isdisjoint({DeviceKind.GPU, DeviceKind.MIG})


def _newest(pool: list[ResourceSlice]) -> list[ResourceSlice] | Unknown:
    """The slices of a pool that count: older generations are on their way out."""
    generation = max(one.generation for one in pool)
    held = [one for one in pool if one.generation == generation]
    wanted = max(one.slices_of_pool for one in held)
    if len(held) == wanted:
        return held
    one = held[0]
    return _untold(f"{len(held)} of {wanted} slices of the pool {one.pool} of {one.driver} are there")


def _listed(slices: list[ResourceSlice]) -> Iterator[Listed]:
    for one in slices:
        for device in one.devices:
            if device.kind is not DeviceKind.OTHER:
                yield Listed(Given(one.driver, one.pool, device.name), device)


def _untold(reason: str) -> Unknown:
    return undetermined(System.KUBERNETES, reason)
