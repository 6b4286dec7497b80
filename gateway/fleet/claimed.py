"""What a node offers by ResourceSlices, what claims were given of it, what is left."""

from collections.abc import Iterable

from gateway.errors import System
from gateway.fleet.beside import Beside
from gateway.fleet.dra import DeviceKind, Devices, Listed, by_resource, devices_of, given_to
from gateway.fleet.gpu import ExtendedResource
from gateway.fleet.sums import above
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined


def devices_beside(beside: Beside) -> Maybe[Devices]:
    """The GPU devices that drivers list of a node; None where none does."""
    return beside.slices if isinstance(beside.slices, Unknown) else devices_of(beside.slices)


def cut_cards(beside: Beside) -> Maybe[frozenset[str]]:
    """The cards that are cut into parts; unknown where claims decide it and are silent."""
    devices = devices_beside(beside)
    if not isinstance(devices, Devices):
        return devices
    claims = beside.claims
    if not isinstance(claims, Unknown):
        return devices.cut(given_to(claims))
    everything = frozenset(one.at for one in devices.listed)
    settled = devices.cut(frozenset()) == devices.cut(everything)
    return devices.cut(frozenset()) if settled else claims


def claimed_resources(beside: Beside) -> tuple[ExtendedResource, ...]:
    """What may be claimed of a node: whole cards by driver, parts by profile."""
    devices, cut = devices_beside(beside), cut_cards(beside)
    if not isinstance(devices, Devices) or not isinstance(cut, frozenset):
        return ()
    groups = by_resource(devices, cut)
    return tuple(_resource(name, groups[name], beside) for name in sorted(groups))


def lost_devices(beside: Beside) -> int:
    """Count the cut cards of which a part may not be given any more."""
    devices, cut = devices_beside(beside), cut_cards(beside)
    if not isinstance(devices, Devices) or not isinstance(cut, frozenset):
        return 0
    return len({one.device.card for one in devices.listed if one.device.tainted and one.device.card in cut})


def is_claimed(beside: Beside) -> bool | Unknown:
    """Whether a claim was given any of the GPU devices of a node."""
    devices = devices_beside(beside)
    if not isinstance(devices, Devices):
        return False
    if isinstance(beside.claims, Unknown):
        return beside.claims
    return not given_to(beside.claims).isdisjoint(one.at for one in devices.listed)


def _resource(name: str, listed: list[Listed], beside: Beside) -> ExtendedResource:
    is_cards = listed[0].device.kind is DeviceKind.GPU
    requested = _requested(listed, beside)
    allocatable = len(_distinct(one for one in listed if not one.device.tainted))
    return ExtendedResource(
        name=name,
        unit=GpuUnit.CARD if is_cards else GpuUnit.SLICE,
        capacity=len(_distinct(listed)),
        allocatable=allocatable,
        requested=requested,
        free=above(allocatable, requested),
        deficit=above(requested, allocatable),
    )


def _requested(listed: list[Listed], beside: Beside) -> int | Unknown:
    if isinstance(beside.claims, Unknown):
        return beside.claims
    given = given_to(beside.claims)
    return len(_distinct(one for one in listed if one.at in given))


def _distinct(listed: Iterable[Listed]) -> set[str]:
    """Tell devices apart by uuid: two drivers may list one card."""
    return {one.device.uuid or f"{one.at.driver}/{one.at.pool}/{one.at.device}" for one in listed}


def listed_product(beside: Beside) -> str | Unknown:
    """The one model that drivers name of a node's devices."""
    devices = devices_beside(beside)
    names = sorted(devices.products) if isinstance(devices, Devices) else []
    if len(names) == 1 and names[0]:
        return names[0]
    return undetermined(System.KUBERNETES, f"the devices name {len(names)} models: {', '.join(names)}")
