"""A number with its terms: the value is their sum, so that neither can say what the other does not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gateway.errors import System
from gateway.fleet.node import Node
from gateway.fleet.platform import Workspace
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.sums import first_unknown, total
from gateway.fleet.unknown import Maybe, Unknown

Subject = Node | Workspace | SlurmJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Why cards are counted, and the listing that says so."""

    label: str
    """One in all grounds."""
    system: System
    kind: str = ""
    """What is listed, as in SourceKey; empty where it rests on the other terms."""


UNTOLD = Ground(label="not known", system=System.KUBERNETES)
"""Of what is not known; whose silence or doubt it is, the reason says."""


class Piece(NamedTuple):
    """What one thing adds to a number; a thing is known wholly or not at all."""

    ground: Ground
    cards: int | Unknown
    subject: Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """What all things of one ground add to a number, with its sign."""

    ground: Ground
    told: int | Unknown
    subjects: tuple[Subject, ...] = field(default=(), compare=False, repr=False)
    reasons: tuple[Unknown, ...] = field(default=(), compare=False, repr=False)
    """Of each subject why it is not known, where it is not."""

    @property
    def label(self) -> str:
        """Say in words why cards are counted."""
        return self.ground.label

    @property
    def system(self) -> System:
        """Which system says so."""
        return self.told.system if isinstance(self.told, Unknown) else self.ground.system

    @property
    def value(self) -> int | None:
        """What it adds; None where that is not known, and then the whole is not known either."""
        return None if isinstance(self.told, Unknown) else self.told


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of an account."""

    formula: str
    terms: tuple[Term, ...]
    value: Maybe[int]
    """None: there is no such number, and no term."""
    at_least: int | None = None
    """What is sure where the value is not known; None where nothing is."""


def summed(pieces: Iterable[Piece]) -> tuple[Term, ...]:
    """Gather pieces by their ground: what adds first, then what takes away, then what is not known."""
    groups: dict[str, _Group] = {}
    untold: list[tuple[Subject, Unknown]] = []
    for ground, cards, subject in pieces:
        if isinstance(cards, Unknown):
            untold.append((subject, cards))
            continue
        group = groups.get(ground.label)
        if group is None:
            group = groups[ground.label] = _Group(ground)
        group.cards += cards
        group.subjects.append(subject)
    known = sorted(groups.values(), key=lambda group: (group.cards <= 0, group.ground.label))
    return (*(group.term() for group in known), *_untold(untold))


@dataclass(slots=True)
class _Group:
    """What the pieces of one ground came to so far."""

    ground: Ground
    cards: int = 0
    subjects: list[Subject] = field(default_factory=list)

    def term(self) -> Term:
        """All of them."""
        return Term(ground=self.ground, told=self.cards, subjects=tuple(self.subjects))


def _untold(untold: list[tuple[Subject, Unknown]]) -> Iterator[Term]:
    reason = total((subject.name, unknown) for subject, unknown in untold)
    if isinstance(reason, Unknown):
        yield Term(
            ground=UNTOLD,
            told=reason,
            subjects=tuple(subject for subject, _ in untold),
            reasons=tuple(unknown for _, unknown in untold),
        )


def added(formula: str, terms: tuple[Term, ...]) -> Figure:
    """The number that is the sum of these; things that are not known add at least nothing to the others."""
    value, known = _whole(terms), _known(terms)
    return Figure(
        formula=formula,
        terms=terms,
        value=value,
        at_least=known if isinstance(value, Unknown) else None,
    )


def difference(formula: str, more: Figure, less: Figure, rest: Ground) -> Figure:
    """How much more one number is than another, never below 0: what is missing to 0 is a term as well."""
    terms = (*more.terms, *(_negated(term) for term in less.terms))
    value, known = _whole(terms), _known(terms)
    if isinstance(value, Unknown):
        # More of the lesser number would leave less, so what is known of it bounds nothing.
        at_least = None if isinstance(less.value, Unknown) else max(0, known)
        return Figure(formula=formula, terms=terms, value=value, at_least=at_least)
    missing = (Term(ground=rest, told=-value),) if value < 0 else ()
    return added(formula, (*terms, *missing))


def _whole(terms: tuple[Term, ...]) -> int | Unknown:
    return first_unknown(*(term.told for term in terms)) or _known(terms)


def _known(terms: tuple[Term, ...]) -> int:
    return sum(term.value or 0 for term in terms)


def _negated(term: Term) -> Term:
    return term if isinstance(term.told, Unknown) else replace(term, told=-term.told)
