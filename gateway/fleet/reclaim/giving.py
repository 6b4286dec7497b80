"""What is given back: how releases of Volcano read what the holding queue deserves."""

from collections.abc import Callable
from dataclasses import dataclass

from gateway.fleet.reclaim.asking import NONE, Names, missing
from gateway.fleet.reclaim.share import ALWAYS_HELD, Amounts, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Giving:
    """One way of reading it."""

    rule: str
    gives: Callable[[Share, Amounts, Amounts], bool]
    """Whether a pod that holds this is given up for one that asks that, as things stand."""
    withheld: Callable[[Share, Names], Names]
    """What of a pod that holds these never counts, because deserved lacks it."""
    exposed: Callable[[Share, Names], str]
    """Why a pod that holds these may be taken at any time, whatever its queue holds; empty: it may not."""


def _exceeds(share: Share, _held: Amounts, _asked: Amounts) -> bool:
    return bool(_always_exceeds(share)) or any(map(share.exceeds, {*share.listed, *ALWAYS_HELD}))


def _exceeds_and_holds_enough(share: Share, held: Amounts, asked: Amounts) -> bool:
    enough = all(share.holds(name) >= amount for name, amount in asked.items())
    return enough and _exceeds(share, held, asked)


def _always_exceeds(share: Share) -> str:
    """Why a queue counts as above its share whatever it holds; empty: it does not."""
    lacking = missing(share, ALWAYS_HELD)
    if lacking:
        return f"deserved lacks {', '.join(sorted(lacking))}"
    unheld = share.listed.keys() - share.allocated.keys() - ALWAYS_HELD
    return f"deserved lists {', '.join(sorted(unheld))}, of which nothing is held" if unheld else ""


def _uncounted(share: Share, held: Names) -> Names:
    return NONE if _always_exceeds(share) else missing(share, held)


def _exceeds_in_what_it_holds(share: Share, held: Amounts, asked: Amounts) -> bool:
    if set(held).isdisjoint(asked):
        return False
    counted = any(share.lists(name) and share.exceeds(name) for name in held)
    return counted or _lists_nothing_of(share, frozenset(held))


def _lists_nothing_of(share: Share, held: Names) -> bool:
    """Whether deserved gives nothing of what a pod holds, its place among the pods included."""
    return not any(share.listed.get(name) for name in (*held, "pods"))


def _uncounted_beside_others(share: Share, held: Names) -> Names:
    return NONE if _lists_nothing_of(share, held) else missing(share, held)


def _exceeds_anywhere(share: Share, _held: Amounts, _asked: Amounts) -> bool:
    return any(map(share.exceeds, share.allocated))


BEYOND_ANY_SHARE = Giving(
    rule="pods may be taken while their queue holds more than deserved of cpu, memory or anything listed",
    gives=_exceeds,
    withheld=_uncounted,
    exposed=lambda share, _held: _always_exceeds(share),
)
BEYOND_ANY_SHARE_IF_ENOUGH = Giving(
    rule=BEYOND_ANY_SHARE.rule,
    gives=_exceeds_and_holds_enough,
    withheld=_uncounted,
    exposed=lambda share, _held: _always_exceeds(share),
)
BEYOND_THE_PODS_SHARE = Giving(
    rule=(
        "a pod may be taken while its queue holds more than deserved of something listed that the pod asks, "
        "or if nothing that it asks is listed"
    ),
    gives=_exceeds_in_what_it_holds,
    withheld=_uncounted_beside_others,
    exposed=lambda share, held: "deserved lists nothing of that" if _lists_nothing_of(share, held) else "",
)
BY_WEIGHT = Giving(
    rule="pods may be taken while their queue holds more of anything than its weight entitles it to",
    gives=_exceeds_anywhere,
    withheld=lambda _share, _held: NONE,
    exposed=lambda _share, _held: "",
)
"""The share that it is asked with is the one by weight."""
