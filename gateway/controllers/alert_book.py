"""Alerts over time: raised once, and over only when their cause stays away."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from gateway.fleet.alert import MOST_KEPT, NO_ALERTS, REMEMBERED, Alert, Alerts, Finding, News

_HEARTBEAT = timedelta(seconds=30)
"""How often it is told that an alert is still seen, where nothing else is to be told."""


HOLDS = timedelta(minutes=5)
"""How long a cause stays away before its alert is over: labels flip, and two writers take turns."""


class AlertBook:
    """What was found, since when, and until when."""

    def __init__(self, holds: timedelta = HOLDS) -> None:
        self.alerts: Alerts = NO_ALERTS
        self._holds = holds
        self._pending: dict[str, datetime] = {}
        """Since when what must last is found."""
        self._missing: dict[str, datetime] = {}
        """Since when an open alert is not found any more, though it could be."""
        self._changed: set[str] = set()
        self._seen: set[str] = set()
        self._gone: set[str] = set()
        self._told_at: datetime | None = None

    def look(
        self, found: Mapping[str, Finding], unjudged: Collection[str], now: datetime, *, at_once: bool = False
    ) -> None:
        """Take in what is found now; of those `unjudged` nobody can say whether they are over."""
        lasting = {name: one for name, one in found.items() if at_once or self._lasts(name, one, now)}
        rows: dict[str, Alert | None] = {name: self._found(name, one, now) for name, one in lasting.items()}
        self._pending = {name: since for name, since in self._pending.items() if name in found}
        self._missing = {
            alert.id: self._missing.get(alert.id, now)
            for alert in self._open()
            if alert.id not in lasting and alert.id not in unjudged
        }
        for name, since in self._missing.items():
            if now - since >= self._holds:
                rows[name] = replace(self.alerts.rows[name], resolved_at=now)
                self._gone.add(name)
        rows.update(dict.fromkeys(self._forgotten(now)))
        self.alerts = self.alerts.changed(rows)

    def news(self, now: datetime) -> News | None:
        """What is to be told, where there is anything."""
        is_due = self._told_at is None or now - self._told_at >= _HEARTBEAT
        if not (is_due or self._changed or self._gone):
            return None
        return News(
            at=now,
            changed=self._named(self._changed),
            seen=self._named(self._seen - self._changed),
            gone=tuple(sorted(self._gone)),
            holds=self._holds,
        )

    def told(self, news: News, kept: Iterable[Alert]) -> None:
        """Take in that this was told, and what is kept now: what other replicas saw, and saw first."""
        self._told_at = news.at
        told = {alert.id for alert in (*news.changed, *news.seen)}
        self._changed -= told
        self._seen -= told
        self._gone.difference_update(news.gone)
        rows = {theirs.id: merged(self.alerts.get(theirs.id), theirs) for theirs in kept}
        self.alerts = self.alerts.changed(rows)

    def _named(self, names: Collection[str]) -> tuple[Alert, ...]:
        return tuple(self.alerts.rows[name] for name in sorted(names) if name in self.alerts.rows)

    def _open(self) -> Iterable[Alert]:
        return (alert for alert in self.alerts.rows.values() if alert.is_open)

    def _lasts(self, name: str, finding: Finding, now: datetime) -> bool:
        """Whether it is found for long enough to be an alert."""
        before = self.alerts.get(name)
        since = self._pending.setdefault(name, now)
        return now - since >= finding.lasts or (before is not None and before.is_open)

    def _found(self, name: str, finding: Finding, now: datetime) -> Alert:
        before = self.alerts.get(name)
        self._seen.add(name)
        self._gone.discard(name)
        if before is None or not before.is_open:
            self._changed.add(name)
            return Alert(id=name, finding=finding, first_seen=now, last_seen=now)
        if finding != before.finding:
            self._changed.add(name)
        return replace(before, finding=finding, last_seen=now)

    def _forgotten(self, now: datetime) -> Iterable[str]:
        """Those that are over for so long, or are so many, that they are not kept any more."""
        over = sorted(
            ((alert.resolved_at, alert.id) for alert in self.alerts.rows.values() if alert.resolved_at),
            reverse=True,
        )
        kept = [name for at, name in over[:MOST_KEPT] if now - at <= REMEMBERED]
        return {name for _, name in over}.difference(kept)


def merged(ours: Alert | None, theirs: Alert) -> Alert:
    """One alert out of what two replicas saw of it: the first time that either did, and the last."""
    if ours is None:
        return theirs
    if ours.is_open and theirs.is_open:
        newest = ours if ours.last_seen >= theirs.last_seen else theirs
        first = min(ours.first_seen, theirs.first_seen)
        return newest if newest.first_seen == first else replace(newest, first_seen=first)
    if ours.is_open:
        return ours if theirs.resolved_at is None or theirs.resolved_at < ours.last_seen else theirs
    return theirs if not theirs.is_open or theirs.last_seen > ours.last_seen else ours
