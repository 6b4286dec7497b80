"""Sources that are silent, and values that they told and nobody can read."""

from collections.abc import Iterator

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.discrepancies.evidence import holder, owner
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.quantity import read_quantity
from gateway.fleet.queue import Queue
from gateway.fleet.source import SkippedItem, SourceState, SourceStatus


def silent_sources(fleet: Fleet) -> Iterator[Finding]:
    """A source is late, or so old that what it told is withheld."""
    for source in fleet.sources:
        if source.state is SourceState.STALE:
            said = f"{source.name} does not answer in time: what it told last is shown with its age"
            yield _silent(source, AlertKind.SOURCE_STALE, said, fleet)
        elif source.state is SourceState.DOWN or _failed_at_once(source):
            yield _silent(source, AlertKind.SOURCE_DOWN, f"{source.name} {_since(source)}", fleet)


def _failed_at_once(source: SourceStatus) -> bool:
    """Whether it was tried and never answered; before the first try nobody knows."""
    return source.state is SourceState.NEVER and source.last_attempt_at is not None


def _since(source: SourceStatus) -> str:
    if source.last_success_at is None:
        return "was never reached: nothing of it is shown"
    return f"is silent since {source.last_success_at:%Y-%m-%dT%H:%M:%SZ}: what it told is too old to be shown"


def _silent(source: SourceStatus, kind: AlertKind, said: str, fleet: Fleet) -> Finding:
    stale = kind is AlertKind.SOURCE_STALE
    return Finding(
        kind=kind,
        severity=Severity.WARNING if stale else Severity.CRITICAL,
        subject=source.id,
        subject_name=source.name,
        cluster=_home(source, fleet),
        tenant=None,
        message=said,
        claim=None,
        evidence=(_evidence(source, "error", source.error),),
        remedies=(
            Remedy(
                action=RemedyAction.WAIT if stale else RemedyAction.OTHER,
                text="wait: it is asked again"
                if stale
                else "look at the error, at the network and at the credentials",
                subject=source.id,
            ),
        ),
    )


def skipped_items(fleet: Fleet) -> Iterator[Finding]:
    """A value could not be read: its number would have frozen, or counts what no count can be."""
    for source in fleet.sources:
        for item in source.skipped:
            thing = _thing(item, source, fleet)
            yield Finding(
                kind=AlertKind.IMPLAUSIBLE_COUNT if _is_amount(item.raw) else AlertKind.SKIPPED_SYNC,
                severity=Severity.WARNING,
                subject=(thing or source).id,
                subject_name=thing.name if thing else item.subject,
                cluster=_home(source, fleet),
                tenant=_tenant(thing, fleet),
                message=f"{item.subject}: {_said(item)}",
                claim=_evidence(source, _place(item), item.raw),
                evidence=(),
                remedies=(_correct(item, source),),
                detail=_place(item),
            )


def _thing(item: SkippedItem, source: SourceStatus, fleet: Fleet) -> Node | Queue | None:
    """The machine or the queue whose value it is."""
    kind, _, name = item.subject.partition("/")
    at = (_home(source, fleet) or "", name)
    if kind == "nodes":
        return fleet.node(*at)
    return fleet.listings.queues.get(at) if kind == "queues" else None


def _tenant(thing: Node | Queue | None, fleet: Fleet) -> str | None:
    if isinstance(thing, Queue):
        return owner(thing, fleet)
    return holder(thing) if thing else None


def _said(item: SkippedItem) -> str:
    return item.problem if item.raw in item.problem else f"{item.path} says {item.raw!r}: {item.problem}"


def _is_amount(raw: str) -> bool:
    """Whether it is a quantity, though not a count of anything."""
    try:
        read_quantity(raw)
    except ValueError:
        return False
    return True


def _place(item: SkippedItem) -> str:
    return f"{item.subject} {item.path}".strip()


def _correct(item: SkippedItem, source: SourceStatus) -> Remedy:
    text = f"correct {_place(item)} where {source.system.value} has it; until then this one value is unknown"
    return Remedy(action=RemedyAction.OTHER, text=text)


def _evidence(source: SourceStatus, path: str, value: str | None) -> Evidence:
    return Evidence(system=source.system, path=path, value=value, observed_at=source.last_success_at)


def _home(source: SourceStatus, fleet: Fleet) -> str | None:
    """The cluster that a source tells of."""
    if source.system is System.SLURM:
        return fleet.slurms.get(source.place)
    return source.place or None
