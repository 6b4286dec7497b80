"""Holds the fleet as it is now: sources tell what changed, requests pin what it holds."""

from collections.abc import Hashable, Iterable, Mapping
from datetime import datetime, timedelta

from gateway.fleet.alert import NO_ALERTS, Alerts
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.fleet import STALE_AFTER, Fleet
from gateway.fleet.listings import NodeKey
from gateway.fleet.merge import Merge
from gateway.fleet.platform import PlatformRecords, Workspace
from gateway.fleet.source import Contact, SourceKey, SourceState, SourceStatus, source_name
from gateway.fleet.unknown import Unknown


class FleetKeeper:
    """The feed of all sources, and the one place where a request gets its Fleet."""

    def __init__(
        self,
        clusters: Iterable[str],
        slurms: Mapping[str, str],
        clock: Clock = utc_now,
        stale_after: timedelta = STALE_AFTER,
    ) -> None:
        self._clusters = tuple(clusters)
        self._slurms = slurms
        self._clock = clock
        self._stale_after = stale_after
        self._merge = Merge(slurms)
        self._contacts: dict[SourceKey, Contact] = {}
        self._silences: dict[SourceKey, Unknown] = {}
        self._statuses: dict[SourceKey, SourceStatus] = {}
        self._alerts = NO_ALERTS
        self._workspaces: tuple[PlatformRecords, Mapping[NodeKey, Workspace]] | None = None

    def replace(self, key: SourceKey, rows: Mapping[Hashable, object], contact: Contact) -> None:
        """Take in all rows of a listing; an equal row keeps the identity of the one before."""
        gone = dict.fromkeys(self._merge.rows(key).keys() - rows.keys())
        self.change(key, {**gone, **rows}, contact)

    def change(self, key: SourceKey, rows: Mapping[Hashable, object | None], contact: Contact) -> None:
        """Take in what changed of a listing; None is gone."""
        self.touch(key, contact)
        held = self._merge.rows(key)
        changes = {name: row for name, row in rows.items() if row != held.get(name)}
        if changes:
            self._merge.apply(key, changes)

    def touch(self, key: SourceKey, contact: Contact) -> None:
        """Take in how contact with a listing stands."""
        self._contacts[key] = contact
        self._judge(key, self._clock())

    def publish(self, alerts: Alerts) -> None:
        """Show these alerts from now on."""
        self._alerts = alerts

    def pin(self) -> Fleet:
        """The fleet at this moment."""
        now = self._clock()
        for key in self._contacts:
            self._judge(key, now)
        return Fleet(
            now=now,
            clusters=self._clusters,
            slurms=self._slurms,
            sources=tuple(self._status(key, now) for key in sorted(self._contacts, key=source_name)),
            silences=dict(self._silences),
            absences=frozenset(key for key, contact in self._contacts.items() if contact.absent),
            listings=self._merge.listings,
            workspace_of_namespace=self._workspace_of_namespace(),
            alerts=self._alerts,
            stale_after=self._stale_after,
        )

    def _judge(self, key: SourceKey, now: datetime) -> None:
        """Withhold a listing from when it is too old until it is heard of again."""
        before, after = self._silences.get(key), self._contacts[key].silence(key, now)
        if before == after:
            return
        if after is None:
            del self._silences[key]
        else:
            self._silences[key] = after
        self._merge.silence(key, after)

    def _status(self, key: SourceKey, now: datetime) -> SourceStatus:
        contact = self._contacts[key]
        state = contact.state(now)
        status = SourceStatus(
            name=source_name(key),
            system=key.system,
            place=key.place,
            state=state,
            last_success_at=contact.last_success_at,
            last_attempt_at=contact.last_attempt_at,
            consecutive_failures=contact.consecutive_failures,
            error=contact.error,
            objects=None if state in _UNCOUNTED else self._merge.count(key),
            skipped=contact.skipped,
        )
        if self._statuses.get(key) != status:
            self._statuses[key] = status
        return self._statuses[key]

    def _workspace_of_namespace(self) -> Mapping[NodeKey, Workspace]:
        platform = self._merge.listings.platform
        if self._workspaces is None or self._workspaces[0] is not platform:
            by_namespace = {
                (workspace.cluster_name, namespace): workspace
                for workspace in platform.workspaces.values()
                for namespace in workspace.namespaces
            }
            self._workspaces = (platform, by_namespace)
        return self._workspaces[1]


_UNCOUNTED = {SourceState.NEVER, SourceState.ABSENT}
