"""What callers may ask the fleet to hold."""

from collections.abc import Iterable

import strawberry

from gateway.errors import Invalid, NotFound
from gateway.fleet.catalogue import nvidia_smi_name
from gateway.fleet.changes.refusals import not_found
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType
from gateway.fleet.mig import MigProfile
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Maybe, Unknown

_TENANT = strawberry.field(default=None, description="On machines of this tenant; null: on anybody's.")


@strawberry.input
class FitCards:
    """So many whole cards of a type, all on one machine, on each of so many machines."""

    gpu_type: str = strawberry.field(description="By its name in the graph: H100-80GB.")
    count: int
    nodes: int = 1
    tenant: str | None = _TENANT


@strawberry.input
class FitSlices:
    """So many slices of a profile, all on one machine, on each of so many machines."""

    profile: str = strawberry.field(description="As nvidia-smi writes it: 1g.10gb, 1g.10gb+me.")
    gpu_type: str | None = strawberry.field(default=None, description="Of cards of this type; null: of any.")
    count: int
    nodes: int = 1
    tenant: str | None = _TENANT


@strawberry.input(one_of=True)
class FitAsk:
    """Cards or slices. Exactly one."""

    cards: FitCards | None = strawberry.UNSET
    slices: FitSlices | None = strawberry.UNSET


def read_ask(asked: FitAsk, fleet: Fleet) -> Ask | Unknown:
    """What is asked for, with all that it names; unknown where who knows the names is silent."""
    wanted = next(one for one in (asked.cards, asked.slices) if one)
    for name in ("count", "nodes"):
        number = getattr(wanted, name)
        if number < 1:
            raise Invalid(f"{name}: {number} is less than 1")
    kind, tenant = _type(wanted.gpu_type, fleet), _tenant(wanted.tenant, fleet)
    profile = _profile(wanted.profile, kind, fleet) if isinstance(wanted, FitSlices) else None
    if isinstance(kind, Unknown):
        return kind
    if isinstance(profile, Unknown):
        return profile
    return tenant or Ask(
        gpu_type=kind, profile=profile, count=wanted.count, nodes=wanted.nodes, tenant=wanted.tenant
    )


def _type(name: str | None, fleet: Fleet) -> Maybe[GpuType]:
    if name is None:
        return None
    return fleet.gpu_types.get(name) or _silent_or_missing("GPU type", name, fleet.gpu_types, fleet)


def _tenant(name: str | None, fleet: Fleet) -> Unknown | None:
    platform = fleet.platform
    if name is None:
        return None
    if isinstance(platform, Unknown):
        return platform
    if name not in platform.tenants:
        raise NotFound(not_found("tenant", name, platform.tenants).message)
    return None


def _profile(name: str, kind: Maybe[GpuType], fleet: Fleet) -> MigProfile | Unknown:
    kinds = [kind] if isinstance(kind, GpuType) else fleet.gpu_types.values()
    known = {one.name: one for kind in kinds for one in kind.mig_profiles}
    written = nvidia_smi_name(name)
    what = f"MIG profile of {kind.name}" if isinstance(kind, GpuType) else "MIG profile"
    return known.get(written) or _silent_or_missing(what, name, known, fleet)


def _silent_or_missing(what: str, name: str, known: Iterable[str], fleet: Fleet) -> Unknown:
    """Why nobody can say that there is no such thing; else there is none."""
    silent = first_unknown(fleet.platform)
    if silent is None:
        raise NotFound(not_found(what, name, known).message)
    return silent
