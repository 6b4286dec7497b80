"""A number of the account taken apart."""

from datetime import datetime

from gateway.errors import System
from gateway.fleet import explain as records
from gateway.fleet import figure
from resolvers import explain as resolve
from schema.entity import Entity
from schema.provenance import MACHINES, derived
from schema.view import answer, attribute, view

_ORIGIN = derived("explain", *MACHINES)


@view(records.Exclusion)
class Exclusion:
    """Something that a number does not count, and why."""

    subject: Entity | None = answer(resolve.subject, needs=MACHINES)
    count: int | None = attribute("How many of what the reason names; null where not known.", _ORIGIN)
    system: System = attribute("Whose word it rests on.", _ORIGIN)
    reason: str = attribute("For people.", _ORIGIN)


@view(figure.Term)
class Term:
    """What all things of one kind add to a number. The value carries its sign: the terms add up."""

    label: str = attribute("Why they are counted.", _ORIGIN)
    value: int | None = attribute("Null where it is not known.", _ORIGIN)
    system: System = attribute("Whose word it rests on.", _ORIGIN)
    observed_at: datetime | None = answer(resolve.observed_at, _ORIGIN)
    stale: bool = answer(resolve.stale, _ORIGIN)
    subjects: list[Entity] = answer(resolve.subjects, needs=MACHINES)
    subject_count: int = answer(resolve.subject_count, _ORIGIN)


@view(records.Explanation)
class Explanation:
    """How a number came about."""

    value: int | None = attribute("The sum of the terms; null where one is not known.", _ORIGIN, of="figure")
    at_least: int | None = attribute(
        "What the known terms alone give, where the value is not known; null where that bounds nothing.",
        _ORIGIN,
        of="figure",
    )
    formula: str = attribute("How it is computed, in words.", _ORIGIN, of="figure")
    terms: list[Term] = attribute("What it is the sum of.", of="figure", needs=MACHINES)
    excluded: list[Exclusion] = answer(resolve.excluded, needs=MACHINES)
    excluded_count: int = attribute("How many things are left out.", _ORIGIN)
