"""One card: whether it can be cut into these slices, by where each may lie."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gateway.errors import System
from gateway.fleet.catalogue import profile as profile_named
from gateway.fleet.gpu import GpuType
from gateway.fleet.mig import MigProfile, Placement
from gateway.fleet.unknown import Maybe, undetermined

Cut: TypeAlias = Mapping[str, int]
"""Slices of one card by profile; empty: left whole."""


def misfit(cut: Cut, kind: GpuType) -> Maybe[str]:
    """Why no card of this type can be cut so; None where one can.

    Whether one that is cut otherwise now has room at once is another question: its slices may lie badly.
    """
    slices = {profile_named(kind, name): count for name, count in cut.items()}
    wrong = _not_its_own(slices, kind) or _too_many(slices, kind)
    if wrong:
        return wrong
    unseen = [profile.name for profile in slices if profile.placement is None]
    if unseen:
        said = f"where a {unseen[0]} may lie on one {kind.name} is not known, nor what fits beside it"
        return undetermined(System.KUBERNETES, said)
    return None if _fit(slices) else _no_room(slices, kind)


def words(cut: Mapping[str, int]) -> str:
    """Say how a card is cut, in words."""
    return ", ".join(f"{count} x {name}" for name, count in cut.items()) or "whole"


def _not_its_own(slices: Mapping[MigProfile, int], kind: GpuType) -> str | None:
    strange = next((profile.name for profile in slices if profile not in kind.mig_profiles), None)
    return f"{kind.name} has no profile {strange}" if strange else None


def _too_many(slices: Mapping[MigProfile, int], kind: GpuType) -> str | None:
    for profile, count in slices.items():
        if profile.max_per_card is not None and count > profile.max_per_card:
            most = profile.max_per_card
            return f"one {kind.name} gives at most {most} x {profile.name}, and {count} are asked for"
    media = {profile.name: count for profile, count in slices.items() if profile.media_extensions}
    if sum(media.values()) > 1:
        return f"one {kind.name} gives one slice with media engines, and {words(media)} are asked for"
    return None


def _no_room(slices: Mapping[MigProfile, int], kind: GpuType) -> str:
    asked, pieces = words({profile.name: count for profile, count in slices.items()}), _pieces(slices)
    needed, units = sum(piece.size for piece in pieces), pieces[0].units
    if needed > units:
        return f"{asked} take {needed} parts of memory, and one {kind.name} has {units}"
    return f"{asked} find no room beside each other on one {kind.name}: slices begin only at certain parts"


def _fit(slices: Mapping[MigProfile, int]) -> bool:
    return _placed(sorted(_pieces(slices), key=lambda one: -one.size), taken=0)


def _pieces(slices: Mapping[MigProfile, int]) -> list[Placement]:
    return [profile.placement for profile, count in slices.items() for _ in range(count) if profile.placement]


def _placed(pieces: Sequence[Placement], taken: int) -> bool:
    """Whether each piece finds a place of its own: units that are taken are bits."""
    if not pieces:
        return True
    first, *others = pieces
    lies = (((1 << first.size) - 1) << start for start in first.starts)
    return any(not taken & place and _placed(others, taken | place) for place in lies)
