"""Totals of a node: whether so many slices can be divided among its cards, and how."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from gateway.errors import System
from gateway.fleet.catalogue import profile as profile_named
from gateway.fleet.gpu import GpuType
from gateway.fleet.mig import MigProfile
from gateway.fleet.placement.card import Cut, misfit, words
from gateway.fleet.unknown import Unknown, undetermined

_Counts: TypeAlias = tuple[int, ...]
"""Slices of each profile, in one order."""
_MOST_STEPS = 500
"""A hard question is left open rather than keep every other caller waiting."""
_MOST_CARDS = 64
"""More than any machine holds; bounds how deep a search goes."""


def divided(totals: Mapping[str, int], kind: GpuType, cards: int) -> tuple[Cut, ...] | str | Unknown:
    """Divide slices among at most so many cards of a type; or why they cannot be divided so."""
    asked = {profile_named(kind, name): count for name, count in totals.items() if count}
    for profile in asked:
        alone = misfit({profile.name: 1}, kind)
        if alone is not None:
            return alone
    division = _Division(kind, sorted(asked, key=_size, reverse=True))
    found = division.of(tuple(asked[profile] for profile in division.profiles), min(cards, _MOST_CARDS))
    if found is not None:
        return tuple(map(division.named, found))
    said = words({profile.name: count for profile, count in asked.items()})
    if division.steps < _MOST_STEPS and cards <= _MOST_CARDS:
        return f"{said} do not fit on {cards} x {kind.name}, however they are divided"
    return undetermined(System.KUBERNETES, f"whether {said} fit on {cards} x {kind.name} was not found out")


class _Division:
    """Searches card by card: the largest slice that is left always goes onto the next one."""

    def __init__(self, kind: GpuType, profiles: list[MigProfile]) -> None:
        self.profiles = profiles
        self.steps = 0
        self._kind = kind
        self._cuts = dict.fromkeys(sorted(self._all_cuts(()), key=self._taken, reverse=True))
        """The fullest first: a search that wastes no room rarely has to turn back."""
        self._failed: set[tuple[_Counts, int]] = set()

    def of(self, left: _Counts, cards: int) -> tuple[_Counts, ...] | None:
        """Divide what is left; None where it cannot be done, or was not found in time."""
        if not any(left):
            return ()
        if self.steps >= _MOST_STEPS or (left, cards) in self._failed or self._take_too_much(left, cards):
            return None
        self.steps += 1
        for cut in self._next_cuts(left):
            rest = self.of(tuple(a - b for a, b in zip(left, cut, strict=True)), cards - 1)
            if rest is not None:
                return (cut, *rest)
        self._failed.add((left, cards))
        return None

    def named(self, counts: _Counts) -> Cut:
        """Slices of one card by profile."""
        pairs = zip(self.profiles, counts, strict=True)
        return {profile.name: count for profile, count in pairs if count}

    def _take_too_much(self, left: _Counts, cards: int) -> bool:
        units = max((one.placement.units for one in self.profiles if one.placement), default=0)
        most = (one.max_per_card or 0 for one in self.profiles)
        crowded = any(count > limit * cards for count, limit in zip(left, most, strict=True))
        return crowded or self._taken(left) > units * cards

    def _taken(self, counts: _Counts) -> int:
        return sum(count * _size(one) for one, count in zip(self.profiles, counts, strict=True))

    def _next_cuts(self, left: _Counts) -> Iterator[_Counts]:
        """Cuts with the largest slice that is left, to which nothing more of what is left can be added."""
        largest = next(at for at, count in enumerate(left) if count)
        for cut in self._cuts:
            if cut[largest] and all(a <= b for a, b in zip(cut, left, strict=True)):
                more = (at for at, count in enumerate(cut) if count < left[at])
                if not any((*cut[:at], cut[at] + 1, *cut[at + 1 :]) in self._cuts for at in more):
                    yield cut

    def _all_cuts(self, counts: _Counts) -> Iterator[_Counts]:
        """Every way to cut one card: a part of one that fits does, so a search ends where it stops to."""
        if len(counts) == len(self.profiles):
            yield counts
            return
        more = 0
        while misfit(self.named((*counts, more, *self._none_after(counts))), self._kind) is None:
            yield from self._all_cuts((*counts, more))
            more += 1

    def _none_after(self, counts: _Counts) -> _Counts:
        return (0,) * (len(self.profiles) - len(counts) - 1)


def _size(profile: MigProfile) -> int:
    return profile.placement.size if profile.placement else 0
