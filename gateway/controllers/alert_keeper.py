"""Looks for disagreements every few seconds, and keeps what it finds."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Protocol

from gateway.controllers.alert_book import AlertBook
from gateway.errors import SourceError
from gateway.fleet.alert import Alerts, Finding
from gateway.fleet.discrepancies.rules import RULES, Rule, can_judge, found_by
from gateway.fleet.fleet import Fleet
from gateway.fleet.ports import AlertStore

_LOG = logging.getLogger(__name__)
Sleep = Callable[[float], Awaitable[None]]
EVERY = timedelta(seconds=5)


class Keeper(Protocol):
    """Holds the fleet, and shows alerts beside it."""

    def pin(self) -> Fleet:
        """The fleet at this moment."""

    def publish(self, alerts: Alerts) -> None:
        """Show these from now on."""


class AlertKeeper:
    """Finds alerts in the fleet, remembers them, and publishes them into it."""

    def __init__(
        self,
        keeper: Keeper,
        store: AlertStore | None = None,
        rules: Sequence[Rule] = RULES,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._keeper = keeper
        self._store = store
        self._rules = rules
        self._book = AlertBook()
        self._sleep = sleep
        self._store_answers = True

    async def run(self) -> None:
        """Look, tell the store, and go on until cancelled; without a store the alerts are in memory alone."""
        while True:
            await self.exchange()
            await self._sleep(EVERY.total_seconds())
            await self.look()

    async def look(self) -> None:
        """Judge the fleet of this moment, rule by rule: requests are answered in between."""
        fleet, sight = self._keeper.pin(), _Sight()
        for rule in self._rules:
            sight.try_rule(rule, fleet)
            await self._sleep(0)
        self._take(fleet, sight, at_once=False)

    def look_once(self) -> None:
        """Judge a fleet in which no time passes."""
        fleet, sight = self._keeper.pin(), _Sight()
        for rule in self._rules:
            sight.try_rule(rule, fleet)
        self._take(fleet, sight, at_once=True)

    async def exchange(self) -> None:
        """Tell the store what is new, and learn what other replicas told it."""
        news = self._book.news(self._keeper.pin().now) if self._store else None
        if self._store is None or news is None:
            return
        try:
            kept = await self._store.exchange(news)
        except SourceError as error:
            if self._store_answers:
                _LOG.warning("alerts are kept in memory alone: %s", error)
            self._store_answers = False
            return
        self._store_answers = True
        self._book.told(news, kept)
        self._keeper.publish(self._book.alerts)

    def _take(self, fleet: Fleet, sight: "_Sight", *, at_once: bool) -> None:
        rows = self._book.alerts.rows.values()
        unjudged = {
            alert.id
            for alert in rows
            if alert.is_open and not (sight.is_whole and can_judge(alert.finding, fleet))
        }
        self._book.look(sight.found, unjudged, fleet.now, at_once=at_once)
        self._keeper.publish(self._book.alerts)


class _Sight:
    """What the rules find in one fleet."""

    def __init__(self) -> None:
        self.found: dict[str, Finding] = {}
        self.is_whole = True
        """Whether every rule could be asked, so that what was not found is not there."""

    def try_rule(self, rule: Rule, fleet: Fleet) -> None:
        """Ask one rule; a fault of ours in it takes no answer away, and ends no alert."""
        try:
            self.found |= found_by(rule, fleet)
        except Exception:  # noqa: BLE001 - alerts are beside the point of a gateway: they must not end it
            _LOG.exception("the rule %s failed; no alert ends meanwhile", rule.__name__)
            self.is_whole = False
