"""A number of the account taken apart."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

import strawberry

from gateway.errors import Invalid, System
from gateway.fleet.capacity import GpuBalance
from gateway.fleet.explain import BalanceField, Exclusion, Explanation
from gateway.fleet.explain import explain as taken_apart
from gateway.fleet.figure import Subject, Term
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.platform import Workspace
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.source import SourceState, SourceStatus
from gateway.fleet.unknown import Unknown
from resolvers.context import Info
from resolvers.paging import MOST_ROWS

R = TypeVar("R")


def explain(
    balance: strawberry.Parent[GpuBalance], info: Info, field: BalanceField = BalanceField.AVAILABLE
) -> Explanation:
    """One of its numbers taken apart: every term with its source and its age, and what is left out."""
    return taken_apart(balance, field)


def excluded(explanation: strawberry.Parent[Explanation], info: Info, first: int = 20) -> list[Exclusion]:
    """What the number does not count, by name."""
    return list(_first(explanation.excluded, first))


def subject(exclusion: strawberry.Parent[Exclusion], info: Info) -> object | None:
    """What it is; null for machines that nobody tells of."""
    return exclusion.subject


def subjects(term: strawberry.Parent[Term], info: Info, first: int = 20) -> list[object]:
    """The machines, workspaces or jobs that add to it, by name."""
    found = _distinct(term)
    found.sort(key=lambda one: (one.name, one.id))
    return list(_first(found, first))


def subject_count(term: strawberry.Parent[Term], info: Info) -> int:
    """How many things add to it."""
    return len(_distinct(term))


def observed_at(term: strawberry.Parent[Term], info: Info) -> datetime | None:
    """When the oldest listing that it rests on was last heard of; null where it follows from other terms."""
    if isinstance(term.told, Unknown) and term.told.is_silence:
        return term.told.observed_at
    heard = (status.last_success_at for status in _listings(term, info.context.fleet))
    return min((at for at in heard if at), default=None)


def stale(term: strawberry.Parent[Term], info: Info) -> bool:
    """Whether a listing that it rests on is late or lost."""
    if isinstance(term.told, Unknown) and term.told.is_silence:
        return True
    late = {SourceState.STALE, SourceState.DOWN}
    return any(status.state in late for status in _listings(term, info.context.fleet))


def _listings(term: Term, fleet: Fleet) -> Iterator[SourceStatus]:
    """The listings of the term's system that tell of its subjects: those of its kind, or all."""
    places = {_place(subject, term.system) for subject in term.subjects}
    for status in fleet.sources:
        of_kind = status.name.endswith(f"/{term.ground.kind}") or not term.ground.kind
        if status.system is term.system and status.place in places and of_kind:
            yield status


def _place(subject: Subject, system: System) -> str:
    """Where the system that tells of a thing is."""
    if system is System.PLATFORM or isinstance(subject, Workspace):
        return ""
    if isinstance(subject, SlurmJob):
        return subject.slurm_cluster
    if system is System.SLURM and isinstance(subject, Node):
        return subject.slurm.slurm_cluster if isinstance(subject.slurm, SlurmNode) else ""
    return subject.cluster


def _distinct(term: Term) -> list[Subject]:
    """Each once: a job that holds several machines adds for each."""
    return list({one.id: one for one in term.subjects}.values())


def _first(rows: Sequence[R], first: int) -> Sequence[R]:
    if not 1 <= first <= MOST_ROWS:
        raise Invalid(f"first: {first} is not from 1 to {MOST_ROWS:,}")
    return rows[:first]
