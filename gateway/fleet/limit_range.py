"""LimitRanges: what one pod or one container of a namespace may ask, as far as it is about GPUs."""

from dataclasses import dataclass

from gateway.fleet.quantity import Quantity

LIMIT_RANGES = "limitranges"
"""What the listing is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a LimitRange says of one resource; a ratio binds nothing, as GPUs are limited to what is asked."""

    resource: str
    of_container: bool
    """Of each container; else of each pod as a whole."""
    least: Quantity | None
    most: Quantity | None
    given: Quantity | None
    """What a container gets that names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRange:
    """A LimitRange of a namespace."""

    cluster: str
    namespace: str
    name: str
    limits: tuple[Limit, ...]
    """Sorted by resource, those of containers first."""
