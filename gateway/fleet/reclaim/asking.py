"""Who may take back a share: how releases of Volcano read what the asking queue deserves."""

from collections.abc import Callable
from dataclasses import dataclass

from gateway.fleet.reclaim.share import Amounts, Share

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One way of reading it."""

    rule: str
    may_ask: Callable[[Share, Amounts], bool]
    """Whether a pod that asks this may have others evicted, as things stand."""
    stopped_by: Callable[[Share, Names], Names]
    """Which resources, missing in deserved, keep a pod that asks these from ever taking anything back."""


def missing(share: Share, names: Names) -> Names:
    """Those that deserved does not list."""
    return frozenset(name for name in names if not share.lists(name))


def _holds_less_of_something(share: Share, _asked: Amounts) -> bool:
    return any(amount > share.holds(name) for name, amount in share.listed.items())


def _all_fit(share: Share, asked: Amounts) -> bool:
    return all(share.fits(name, amount) for name, amount in asked.items())


def _one_fits(share: Share, asked: Amounts) -> bool:
    return any(share.fits(name, amount) for name, amount in asked.items())


def _one_fits_below_the_ceiling(share: Share, asked: Amounts) -> bool:
    return share.is_open and share.has_room_for(asked) and _one_fits(share, asked)


def _all_where_deserved_is_empty(share: Share, names: Names) -> Names:
    return NONE if any(share.listed.values()) else names


def _all_where_none_is_listed(share: Share, names: Names) -> Names:
    return NONE if any(map(share.lists, names)) else names


def _never(_share: Share, _names: Names) -> Names:
    return NONE


IF_ANY_IS_LEFT = Asking(
    rule="a pod may take back its queue's share while the queue holds less than deserved of anything",
    may_ask=_holds_less_of_something,
    stopped_by=_all_where_deserved_is_empty,
)
IF_ALL_FIT = Asking(
    rule="a pod may take back its queue's share only if deserved lists all that it asks, with room for it",
    may_ask=_all_fit,
    stopped_by=missing,
)
IF_ONE_FITS = Asking(
    rule="a pod may take back its queue's share if deserved lists one thing that it asks, with room for it",
    may_ask=_one_fits,
    stopped_by=_all_where_none_is_listed,
)
IF_ONE_FITS_BELOW_THE_CEILING = Asking(
    rule=f"{IF_ONE_FITS.rule}, and capability has room for all of it",
    may_ask=_one_fits_below_the_ceiling,
    stopped_by=_all_where_none_is_listed,
)
BY_WEIGHT = Asking(
    rule="a pod may take back what its queue's weight entitles it to; deserved is not read",
    may_ask=_all_fit,
    stopped_by=_never,
)
"""The share that it is asked with is the one by weight."""
