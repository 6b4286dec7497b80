"""What one way of reading deserved comes to for one queue."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gateway.fleet.reclaim.asking import NONE, Names
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
    exposed = {names: reading.giving.exposed(share, names) for names in held}
    sentences = (*_stopped(stopped), *_withheld(withheld), *_exposed(exposed))
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


def _exposed(exposed: dict[Names, str]) -> Iterator[str]:
    for why in sorted({why for why in exposed.values() if why}):
        names = NONE.union(*(names for names, reason in exposed.items() if reason == why))
        yield f"Pods that hold {_listed(names)} may be taken at any time, since {why}."


def used_up(share: Share) -> Iterator[str]:
    """What of its share is used up."""
    full = [name for name, amount in share.listed.items() if 0 < amount <= share.holds(name)]
    if full:
        yield f"Its share of {_listed(full)} is used up."


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
