"""Writes down what the fleet says of each node's health, so that it can be seen when nobody looked."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta

from gateway.controllers.leadership import Leadership
from gateway.errors import SourceError
from gateway.fleet.fleet import Fleet
from gateway.fleet.health_reason import ReportedHealth
from gateway.fleet.node import Node, NodeHealth
from gateway.fleet.platform import NodeRecord
from gateway.fleet.ports import HealthLedger

_LOG = logging.getLogger(__name__)
Sleep = Callable[[float], Awaitable[None]]
_EVERY = timedelta(seconds=5)
_AGAIN = timedelta(minutes=1)
"""How often it is written down that nothing changed."""
_LONGEST = timedelta(minutes=1)


class HealthMonitor:
    """Tells the records of one cluster's nodes how these are; where it is not known, nothing."""

    def __init__(
        self,
        leadership: Leadership,
        ledger: HealthLedger,
        pin: Callable[[], Fleet],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._leadership = leadership
        self._ledger = ledger
        self._pin = pin
        self._sleep = sleep
        self._told: dict[str, ReportedHealth] = {}

    async def run(self) -> None:
        """Look and tell until cancelled; a silent database is waited for, twice as long each time."""
        pause = _EVERY
        while True:
            try:
                await self.look()
                pause = _EVERY
            except SourceError as error:
                _LOG.warning("health of cluster %s is not written: %s", self._leadership.cluster, error)
                pause = min(2 * pause, _LONGEST)
            await self._sleep(pause.total_seconds())

    async def look(self) -> None:
        """Tell what changed since it was told, and now and then what did not; only who leads tells."""
        if not self._leadership.leads:
            self._told.clear()
            return
        fleet = self._pin()
        seen = dict(_seen(fleet, self._leadership.cluster))
        news = {name: one for name, one in seen.items() if _is_news(self._told.get(name), one)}
        if news:
            await self._ledger.report(self._leadership.cluster, news)
            self._told |= news


def _seen(fleet: Fleet, cluster: str) -> Iterator[tuple[str, ReportedHealth]]:
    for node in fleet.listings.nodes.group("cluster", cluster).values():
        health = _known(node)
        if health is not None and isinstance(node.record, NodeRecord):
            yield node.name, _report(health, fleet.now)


def _known(node: Node) -> NodeHealth | None:
    health = node.health
    return health if isinstance(health, NodeHealth) and isinstance(health.healthy, bool) else None


def _report(health: NodeHealth, now: datetime) -> ReportedHealth:
    return ReportedHealth(healthy=health.healthy is True, reasons=health.reasons, checked_at=now)


def _is_news(told: ReportedHealth | None, seen: ReportedHealth) -> bool:
    if told is None or seen.checked_at - told.checked_at >= _AGAIN:
        return True
    return (told.healthy, told.reasons) != (seen.healthy, seen.reasons)
