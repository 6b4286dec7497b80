"""What one way of reading deserved comes to for one queue."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gateway.fleet.quantity import write_decimal
from gateway.fleet.reclaim.asking import NONE, Names, missing
from gateway.fleet.reclaim.reading import Reading
from gateway.fleet.reclaim.share import Share
from gateway.fleet.reclaim.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is blocked on each side, and what there is to say of it."""

    asker: Names
    holder: Names
    sentences: tuple[str, ...]


def outcome(share: Share, work: Work, reading: Reading) -> Outcome:
    """Judge a queue by its deserved, whatever moves from minute to minute."""
    stopped = {names: reading.asking.stopped_by(share, names) for names in work.asks}
    asker = NONE.union(*(names for names, lacking in stopped.items() if lacking))
    held = [frozenset(task.requests) for task in work.running if task.evictable]
    if not share.reclaimable:
        never = "Nothing of it is taken back, since reclaimable is false."
        return Outcome(asker=asker, holder=NONE.union(*held), sentences=(*_stopped(stopped), never))
    withheld = NONE.union(*(reading.giving.withheld(share, names) for names in held))
    exposed = NONE.union(*(names for names in held if reading.giving.exposed(share, names)))
    sentences = (*_stopped(stopped), *_withheld(withheld), *_exposed(share, exposed))
    return Outcome(asker=asker, holder=withheld, sentences=sentences)


def _stopped(stopped: dict[Names, Names]) -> Iterator[str]:
    asking: defaultdict[Names, set[str]] = defaultdict(set)
    for names, lacking in stopped.items():
        asking[lacking] |= names
    for lacking in sorted(filter(None, asking), key=sorted):
        asked = _listed(asking[lacking])
        yield f"Pods that ask {asked} take nothing back, since deserved lacks {_listed(lacking)}."


def _withheld(names: Names) -> Iterator[str]:
    if names:
        yield (
            f"What it holds of {_listed(names)} does not count, since deserved lacks it: none of it is given "
            "back while the queue is within what deserved lists."
        )


def _exposed(share: Share, names: Names) -> Iterator[str]:
    if names:
        lacking = missing(share, names)
        why = f"deserved lacks {_listed(lacking)}" if lacking else "deserved lists what is not held"
        yield f"Pods that hold {_listed(names)} may be taken at any time, since {why}."


def used_up(share: Share) -> Iterator[str]:
    """What of its share is used up."""
    full = [name for name, amount in sorted(share.listed.items()) if 0 < amount <= share.holds(name)]
    if full:
        shares = (
            f"{name} ({write_decimal(share.holds(name))} of {write_decimal(share.listed[name])})"
            for name in full
        )
        yield f"Its share is used up of {', '.join(shares)}."


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
