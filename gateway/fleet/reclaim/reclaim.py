"""What a queue cannot take back and what it does not give back, for the scheduler that runs."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.queue import Queue
from gateway.fleet.reclaim.asking import NONE, Names
from gateway.fleet.reclaim.outcome import Outcome, outcome, used_up
from gateway.fleet.reclaim.reading import Reading
from gateway.fleet.reclaim.rules import Rules, rules_of
from gateway.fleet.reclaim.share import share_of
from gateway.fleet.reclaim.work import Work, work_of
from gateway.fleet.unknown import Unknown, undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaim:
    """How reclaim goes for a queue."""

    scheduler: str | Unknown
    blocked_as_asker: tuple[str, ...] | Unknown
    blocked_as_holder: tuple[str, ...] | Unknown
    explanation: str


def reclaim(queue: Queue, fleet: Fleet) -> Reclaim | Unknown:
    """Judge one queue, by every reading that its scheduler may have."""
    rules = rules_of(fleet.scheduler(queue.cluster))
    share, work = share_of(queue, hierarchy=rules.hierarchy), work_of(queue, fleet)
    if isinstance(work, Unknown):
        return work
    if isinstance(share, Unknown):
        return share
    if rules.reclaims is False:
        return _never(rules, work)
    found = [(reading, outcome(share, work, reading)) for reading in rules.readings]
    return Reclaim(
        scheduler=rules.scheduler,
        blocked_as_asker=_agreed({one.asker for _, one in found}, rules),
        blocked_as_holder=_agreed({one.holder for _, one in found}, rules),
        explanation=" ".join((*_doubted(rules), *_told(found), *used_up(share), *_ruled(found))),
    )


def _never(rules: Rules, work: Work) -> Reclaim:
    held = NONE.union(*(task.requests for task in work.running))
    actions = ", ".join(rules.actions)
    return Reclaim(
        scheduler=rules.scheduler,
        blocked_as_asker=tuple(sorted(work.resources)),
        blocked_as_holder=tuple(sorted(held)),
        explanation=f"Nothing is ever taken back: reclaim is not among the scheduler's actions ({actions}).",
    )


def _agreed(blocked: set[Names], rules: Rules) -> tuple[str, ...] | Unknown:
    """What every reading says."""
    if len(blocked or {NONE}) == 1 and rules.reclaims and (blocked or not rules.doubts):
        return tuple(sorted(NONE.union(*blocked)))
    if isinstance(rules.scheduler, Unknown) and rules.scheduler.is_silence:
        return rules.scheduler
    return undetermined(System.QUEUES, _not_known(rules))


def _doubted(rules: Rules) -> Iterator[str]:
    if rules.doubts:
        yield f"{_not_known(rules)}."
    if rules.reclaims is None and rules.readings:
        yield "What follows holds if reclaim is among its actions."
    if not rules.readings and not rules.doubts:
        yield "No plugin holds queues to shares, so deserved is not read."


def _not_known(rules: Rules) -> str:
    return f"It is not known {', nor '.join(rules.doubts)}"


def _told(found: list[tuple[Reading, Outcome]]) -> Iterator[str]:
    """What it comes to; of several readings, each outcome once, under those that come to it."""
    readings: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for reading, judged in found:
        readings[judged.sentences].append(reading.name)
    for sentences, names in readings.items():
        said = " ".join(sentences) or "Nothing that deserved lists or lacks stands in the way."
        yield f"In {', '.join(names)}: {said}" if len(found) > 1 else said


def _ruled(found: list[tuple[Reading, Outcome]]) -> Iterator[str]:
    """The rules themselves, where it is known which ones hold."""
    if len(found) == 1:
        ((reading, _),) = found
        yield f"The rules: {reading.asking.rule}; {reading.giving.rule}."
