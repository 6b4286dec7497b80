"""How many cards a number of slices needs at the least."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from gateway.errors import System
from gateway.fleet.gpu import GpuType
from gateway.fleet.mig import MigProfile
from gateway.fleet.unknown import Unknown, undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class _Board:
    """What one card has to be cut."""

    compute: int
    memory: int


_LARGEST = _Board(compute=7, memory=8)
"""Takes the most slices, so it bounds from below where the model is not known."""


def least_cards(counts: Mapping[MigProfile, int], gpu_type: GpuType | None) -> int | Unknown:
    """Bound from below how many cards these slices need, by compute, by memory, by each profile's most."""
    board = _board(gpu_type.mig_profiles if gpu_type else ())
    compute, memory, crowded = 0, 0, 0
    for profile, count in counts.items():
        if profile.compute_slices is None:
            return undetermined(System.KUBERNETES, f"how much of a card a {profile.name} takes is not known")
        compute += count * profile.compute_slices
        memory += count * _memory(profile, profile.compute_slices, board)
        crowded = max(crowded, ceil(count / profile.max_per_card) if profile.max_per_card else 0)
    return max(ceil(compute / board.compute), ceil(memory / board.memory), crowded)


def _board(profiles: Iterable[MigProfile]) -> _Board:
    compute = max((profile.compute_slices or 0 for profile in profiles), default=0)
    return _Board(compute=compute, memory=_whole_parts(compute)) if compute else _LARGEST


def _memory(profile: MigProfile, compute: int, board: _Board) -> int:
    """Count the memory slices of a profile: a single compute slice may have a double share (1g.20gb)."""
    if compute == 1 and profile.max_per_card and not profile.media_extensions:
        return board.memory // profile.max_per_card
    return _whole_parts(compute)


def _whole_parts(compute: int) -> int:
    """The least power of two that is not below: memory is cut in halves, 3g takes one like 4g."""
    return 1 << (compute - 1).bit_length()
