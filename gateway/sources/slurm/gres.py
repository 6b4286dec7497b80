"""GRES and TRES: the texts in which Slurm counts GPUs."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from gateway.fleet.unit import GpuUnit

_SHARES = frozenset({"shard", "mps"})
_NAMES = _SHARES | {"gpu"}
_COMMA = re.compile(r",(?![^(]*\))")
"""Commas inside parentheses belong to what they list: gpu:h100:2(IDX:0,2)."""
_NAME = re.compile(r"(?:gres/)?([^:=(),]*)")
_PART = re.compile(
    r"(?:gres/)?(?P<name>[^:=(),]+)(?::(?P<type>\(null\)|[^:=(),]+?))??(?::no_consume)?"
    r"(?:[:=](?P<count>\d{1,10})(?P<kilo>K?))?(?:\([^()]*\))?",
    re.ASCII,
)
_MIG = re.compile(r"(?:^|[^0-9a-zA-Z])\d+g\.\d+gb(?![0-9a-zA-Z])", re.IGNORECASE)
"""Where AutoDetect=nvml names MIG instances: nvidia_h200_nvl_4g.71gb, 1g.10gb."""
_NOTHING = frozenset({"", "(null)", "N/A"})
_KILO = 1024


class Gres(NamedTuple):
    """A kind of GPU resource."""

    name: str
    """gpu, shard or mps."""
    type: str | None

    @property
    def unit(self) -> GpuUnit:
        """What a count of it counts."""
        if self.name in _SHARES:
            return GpuUnit.SHARE
        return GpuUnit.SLICE if self.type and _MIG.search(self.type) else GpuUnit.CARD

    @property
    def resource(self) -> str:
        """Its name among Slurm's trackable resources."""
        return f"gres/{self.name}" + (f":{self.type}" if self.type else "")


def read_gres(text: str) -> dict[Gres, int]:
    """Count the GPU resources in a GRES text; other resources are left out, unread."""
    counts: Counter[Gres] = Counter()
    for gres, count in _parts(text):
        counts[gres] += count
    return dict(counts)


def read_tres(text: str) -> dict[Gres, int]:
    """Count them in a TRES text, where gres/gpu includes what stands beside it with a type."""
    counts = read_gres(text)
    for name in _NAMES:
        _keep_one_sum(counts, Gres(name, None))
    return counts


def _keep_one_sum(counts: dict[Gres, int], untyped: Gres) -> None:
    """Keep the typed counts where they are all of the sum, else the sum alone."""
    typed = [gres for gres in counts if gres.name == untyped.name and gres.type]
    if untyped not in counts or not typed:
        return
    if sum(counts[gres] for gres in typed) == counts[untyped]:
        del counts[untyped]
    else:
        for gres in typed:
            del counts[gres]


def _parts(text: str) -> Iterator[tuple[Gres, int]]:
    for part in _COMMA.split(text):
        named = _NAME.match(part)
        if part in _NOTHING or named is None or named[1] not in _NAMES:
            continue
        form = _PART.fullmatch(part)
        if form is None:
            raise ValueError(f"counts GPUs in a way that is not known: {part!r}")
        kind = None if form["type"] == "(null)" else form["type"]
        # No count at all means one: --gres=gpu.
        yield Gres(form["name"], kind), int(form["count"] or 1) * (_KILO if form["kilo"] else 1)


def used_of(gres: Gres, configured: Collection[Gres], used: Mapping[Gres, int]) -> int | None:
    """Find how much of it is used; None where the text does not tell.

    gres_used may name types where the configuration names none, and "(null)" where it names one.
    """
    if gres in used:
        return used[gres]
    alike = [other for other in used if other.name == gres.name]
    only = sum(other.name == gres.name for other in configured) == 1
    if only and alike and (gres.type is None or alike == [Gres(gres.name, None)]):
        return sum(used[other] for other in alike)
    return None
