"""The GPU models that the gateway knows by itself, and how a name that a system uses leads to one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any

import yaml

from gateway.fleet.gpu import GpuType
from gateway.fleet.mig import MigProfile, Placement

_ADDED_TO_PRODUCT = re.compile(r"(-MIG-.+?)?(-SHARED)?")
_PROFILE = re.compile(r"(?P<slices>[1-9])g\.\d+gb(?P<rest>.*)")
_Places = Mapping[str, list[Placement]]
"""By the name of a profile without its memory: 1g+me."""


def type_of_product(types: Mapping[str, GpuType], product: str) -> GpuType | None:
    """Find the one type that a value of nvidia.com/gpu.product names, sliced and shared cards too."""
    return _only(
        kind
        for kind in types.values()
        for known in kind.products
        if product.startswith(known) and _ADDED_TO_PRODUCT.fullmatch(product, len(known))
    )


def type_of_slurm(types: Mapping[str, GpuType], gres_type: str) -> GpuType | None:
    """Find the one type that a type in Slurm's GRES names; None where the word means several."""
    wanted = gres_type.lower()
    return _only(kind for kind in types.values() if wanted in kind.slurm_types)


def profile(gpu_type: GpuType | None, name: str) -> MigProfile:
    """What a profile's name means on this type; for a name that is not known, what it says itself."""
    written = nvidia_smi_name(name)
    known = (own for own in gpu_type.mig_profiles if own.name == written) if gpu_type else iter(())
    return next(known, None) or _profile(written)


def known_types(
    own: Iterable[GpuType], catalogue: Mapping[str, GpuType] | None = None
) -> Mapping[str, GpuType]:
    """The platform's own types before the catalogue's: a name that one of them claims is its alone."""
    shipped = CATALOGUE if catalogue is None else catalogue
    ours = {kind.name: _with_profiles(kind, shipped) for kind in own}
    products = {product for kind in ours.values() for product in kind.products}
    words = {word for kind in ours.values() for word in kind.slurm_types}
    others = {name: _without(kind, products, words) for name, kind in shipped.items() if name not in ours}
    return {**others, **ours}


def _only(found: Iterable[GpuType]) -> GpuType | None:
    distinct = {kind.name: kind for kind in found}
    return next(iter(distinct.values())) if len(distinct) == 1 else None


def _with_profiles(kind: GpuType, shipped: Mapping[str, GpuType]) -> GpuType:
    if kind.mig_profiles:
        return kind
    alike = shipped.get(kind.name) or _only(
        other for product in kind.products if (other := type_of_product(shipped, product))
    )
    return replace(kind, mig_profiles=alike.mig_profiles) if alike else kind


def _without(kind: GpuType, products: set[str], words: set[str]) -> GpuType:
    return replace(
        kind,
        products=tuple(product for product in kind.products if product not in products),
        slurm_types=tuple(word for word in kind.slurm_types if word not in words),
    )


def nvidia_smi_name(name: str) -> str:
    """Write a profile as nvidia-smi does; labels cannot hold a plus, so 1g.10gb.me is 1g.10gb+me."""
    form = _PROFILE.fullmatch(name)
    if form is None or not form["rest"].startswith("."):
        return name
    return f"{name[: form.start('rest')]}+{form['rest'][1:]}"


def _profile(
    name: str, most: int | None = None, memory_mib: int | None = None, *, places: _Places | None = None
) -> MigProfile:
    form = _PROFILE.fullmatch(name)
    media = form is not None and form["rest"].startswith("+me")
    lies = (places or {}).get(f"{form['slices']}g{form['rest']}", ()) if form else ()
    return MigProfile(
        name=name,
        compute_slices=int(form["slices"]) if form else None,
        memory_mib=memory_mib,
        max_per_card=most,
        media_extensions=media,
        placement=next((one for one in lies if media or len(one.starts) == most), None),
    )


def _document(name: str) -> dict[str, dict[str, Any]]:
    document: dict[str, dict[str, Any]] = yaml.safe_load(
        files("gateway.fleet").joinpath(name).read_text(encoding="utf-8")
    )
    return document


def _places() -> Mapping[str, _Places]:
    return {
        name: {
            stem: [
                Placement(units=entry["units"], size=place["size"], starts=tuple(place["starts"]))
                for place in places
            ]
            for stem, places in entry["places"].items()
        }
        for name, entry in _document("mig_placements.yaml").items()
    }


def _shipped() -> Mapping[str, GpuType]:
    placements = _places()
    return {
        name: GpuType(
            name=name,
            memory_mib=entry.get("memoryMiB"),
            products=tuple(entry.get("products", ())),
            slurm_types=tuple(entry.get("slurmTypes", ())),
            mig_profiles=tuple(
                _profile(cut, *sizes, places=placements.get(entry.get("placement", "")))
                for cut, sizes in entry.get("mig", {}).items()
            ),
        )
        for name, entry in _document("gpu_types.yaml").items()
    }


CATALOGUE = _shipped()
