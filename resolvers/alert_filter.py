"""Which alerts a caller wants, and in which order they come."""

from datetime import UTC, datetime

import strawberry

from gateway.fleet.alert import Alert, AlertKind, Severity
from resolvers.inputs import chosen
from resolvers.paging import Key

_LAST = datetime.max.replace(tzinfo=UTC)
_RANK = {severity: str(rank) for rank, severity in enumerate(Severity)}


@strawberry.input
class AlertFilter:
    """Which alerts; those that are over only where they are asked for."""

    kinds: list[AlertKind] | None = None
    severities: list[Severity] | None = None
    cluster: str | None = None
    tenant: str | None = None
    subject: strawberry.ID | None = None
    include_resolved: bool = strawberry.field(name="includeResolved", default=False)


def is_wanted(alert: Alert, wanted: AlertFilter) -> bool:
    """Whether a filter lets an alert through."""
    found = alert.finding
    return (
        (alert.is_open or wanted.include_resolved)
        and chosen(wanted.kinds, found.kind)
        and chosen(wanted.severities, found.severity)
        and wanted.cluster in {None, found.cluster}
        and wanted.tenant in {None, found.tenant}
        and wanted.subject in {None, found.subject}
    )


def place(alert: Alert) -> Key:
    """Where an alert stands in a list: open ones first, then by severity, then the newest."""
    age = (_LAST - alert.first_seen).total_seconds()
    return ("0" if alert.is_open else "1", _RANK[alert.finding.severity], f"{age:020.6f}", alert.id)
