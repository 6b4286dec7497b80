"""Which shares deserved blocks, in all queues of a cluster, and whether somebody waits for them now."""

import enum
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from immutables import Map

from gateway.fleet.fleet import Fleet
from gateway.fleet.reclaim.asking import NONE, Names
from gateway.fleet.reclaim.eviction import may_be_taken
from gateway.fleet.reclaim.reading import Reading
from gateway.fleet.reclaim.rules import Rules, rules_of
from gateway.fleet.reclaim.share import Share, share_of
from gateway.fleet.reclaim.work import Task, Work, work_of


class Side(enum.Enum):
    """On which side of taking back a queue is blocked."""

    ASKER = "ASKER"
    """It cannot take back its own share."""
    HOLDER = "HOLDER"
    """Others cannot take back from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What a queue's deserved blocks because it is incomplete."""

    side: Side
    resources: tuple[str, ...]
    """What cannot be taken back."""
    missing: tuple[str, ...]
    """What to list in deserved."""
    is_asked_now: bool
    """Work waits for it; else it would be blocked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """A queue as it stands."""

    share: Share
    work: Work


def blocks(cluster: str, fleet: Fleet) -> Mapping[str, tuple[Block, ...]]:
    """What is blocked by queue, by every reading that the scheduler may have; only what is certain."""
    rules = rules_of(fleet.scheduler(cluster))
    queues = _standing(cluster, fleet, rules) if rules.reclaims else ()
    found = {one.share.queue: tuple(_blocks(one, queues, rules)) for one in queues}
    return {name: blocked for name, blocked in found.items() if blocked}


def _standing(cluster: str, fleet: Fleet, rules: Rules) -> Collection[_Standing]:
    """The queues of which all is known."""
    queues = fleet.queues(cluster)
    read = [
        (share_of(queue, hierarchy=rules.hierarchy), work_of(queue, fleet))
        for queue in (queues.values() if isinstance(queues, Map) else ())
    ]
    return [
        _Standing(share=share, work=work)
        for share, work in read
        if isinstance(share, Share) and isinstance(work, Work)
    ]


def _blocks(queue: _Standing, queues: Collection[_Standing], rules: Rules) -> Iterator[Block]:
    yield from _certain(Side.ASKER, [_as_asker(queue, reading) for reading in rules.readings])
    yield from _certain(
        Side.HOLDER, [_as_holder(queue, queues, reading, rules) for reading in rules.readings]
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What one reading blocks."""

    resources: Names
    missing: Names
    is_asked_now: bool


def _certain(side: Side, found: Collection[_Found]) -> Iterator[Block]:
    """What every reading blocks."""
    resources = NONE
    if found:
        resources = frozenset.intersection(*(one.resources for one in found))
    if resources:
        yield Block(
            side=side,
            resources=tuple(sorted(resources)),
            missing=tuple(sorted(frozenset.intersection(*(one.missing for one in found)))),
            is_asked_now=all(one.is_asked_now for one in found),
        )


def _as_asker(queue: _Standing, reading: Reading) -> _Found:
    """The share of what deserved lists that pods cannot take back for what it lacks."""
    share = queue.share
    lacking = {names: reading.asking.stopped_by(share, names) for names in queue.work.asks}
    stopped = {names: lacks for names, lacks in lacking.items() if lacks and any(map(share.lists, names))}
    missing = NONE.union(*stopped.values())
    completed = _listing(share, missing, _PLENTY)
    waits = (task for task in queue.work.waiting if frozenset(task.requests) in stopped)
    return _Found(
        resources=frozenset(name for names in stopped for name in names if share.lists(name)),
        missing=missing,
        is_asked_now=any(reading.asking.may_ask(completed, task.requests) for task in waits),
    )


def _as_holder(queue: _Standing, queues: Collection[_Standing], reading: Reading, rules: Rules) -> _Found:
    """What the queue holds that others cannot take back for what its deserved lacks."""
    share = queue.share
    held = [
        (task, reading.giving.withheld(share, frozenset(task.requests)))
        for task in queue.work.running
        if task.evictable
    ]
    missing = NONE.union(*(lacks for _, lacks in held)) if share.reclaimable else NONE
    completed = _listing(share, missing, _LITTLE)

    def freed(victim: Task, asker: tuple[Share, Task]) -> bool:
        """Whether the pod would be taken if deserved were complete, and is not as it is."""
        before, after = (
            may_be_taken((one, victim), asker, reading, gang_decides=rules.gang_decides)
            for one in (share, completed)
        )
        return after and not before

    return _Found(
        resources=missing,
        missing=missing,
        is_asked_now=any(
            freed(victim, (other.share, ask))
            for victim, lacks in held
            for other in queues
            for ask in other.work.waiting
            if not lacks.isdisjoint(ask.requests)
        ),
    )


_PLENTY, _LITTLE = Decimal("Infinity"), Decimal("0.001")


def _listing(share: Share, names: Names, amount: Decimal) -> Share:
    """The same share, with so much of these deserved too."""
    return replace(share, listed={**share.listed, **dict.fromkeys(names, amount)})
