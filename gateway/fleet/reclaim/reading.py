"""Which release of Volcano reads deserved how (docs/reclaim.md has the table)."""

from typing import NamedTuple

from gateway.fleet.reclaim import asking, giving
from gateway.fleet.reclaim.asking import Asking
from gateway.fleet.reclaim.giving import Giving
from gateway.fleet.scheduler import Release


class Reading(NamedTuple):
    """How the scheduler judges both sides."""

    name: str
    asking: Asking
    giving: Giving


PROPORTION = Reading("plugin proportion", asking.BY_WEIGHT, giving.BY_WEIGHT)
"""Of every release."""

_CAPACITY = (
    (Release(1, 9), Reading("v1.9", asking.IF_ANY_IS_LEFT, giving.BEYOND_ANY_SHARE_IF_ENOUGH)),
    (
        Release(1, 10),
        Reading("v1.10.0 to v1.11.0", asking.IF_ALL_FIT, giving.BEYOND_ANY_SHARE_IF_ENOUGH),
    ),
    (Release(1, 11, 1), Reading("v1.11.1 to v1.13.0", asking.IF_ALL_FIT, giving.BEYOND_ANY_SHARE)),
    (Release(1, 13, 1), Reading("v1.13.1 to v1.13.3", asking.IF_ONE_FITS, giving.BEYOND_ANY_SHARE)),
    (Release(1, 14), Reading("v1.14", asking.IF_ONE_FITS, giving.BEYOND_THE_PODS_SHARE)),
    (
        Release(1, 15),
        Reading("v1.15 and later", asking.IF_ONE_FITS_BELOW_THE_CEILING, giving.BEYOND_THE_PODS_SHARE),
    ),
)
CAPACITY = tuple(reading for _, reading in _CAPACITY)
"""Of the plugin capacity, oldest first."""


def capacity_reading(release: Release) -> Reading | None:
    """How the plugin capacity of a release judges; None where it has none yet."""
    return next((reading for since, reading in reversed(_CAPACITY) if since <= release), None)
