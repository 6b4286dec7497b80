import asyncio
import logging

import pytest

from gateway.controllers.alert_book import HOLDS
from gateway.controllers.alert_keeper import EVERY, AlertKeeper
from gateway.errors import SourceUnavailable, System
from gateway.fleet.discrepancies.rules import MOST_OF_A_RULE
from tests.builders import a_node, a_record, some_records
from tests.controllers.test_alert_book import a_finding
from tests.fleets import FRESH, NEVER, NODES, RECORDS, SLURM_NODES, Hands, a_keeper


class Store:
    """A store that keeps nothing, and may be silent."""

    def __init__(self):
        self.told = []
        self.silent = False

    async def exchange(self, news):
        if self.silent:
            raise SourceUnavailable(System.PLATFORM, "no answer in time")
        self.told.append(news)
        return []


class Naps:
    """A sleep in which a test moves on, until it has seen enough."""

    def __init__(self, turns):
        self.turns = turns
        self.slept = []

    async def __call__(self, seconds):
        if seconds:
            self.slept.append(seconds)
            if len(self.slept) == self.turns:
                raise asyncio.CancelledError
        await asyncio.sleep(0)


@pytest.fixture
def hands():
    return Hands()


@pytest.fixture
def keeper(hands):
    return a_keeper(records=some_records([a_record(claims=8)]), clock=hands)


def kinds(keeper, *, resolved=False):
    rows = keeper.pin().alerts.rows.values()
    return [alert.finding.kind.value for alert in rows if alert.is_open is not resolved]


async def test_it_looks_every_few_seconds_and_tells_the_store(keeper):
    store, naps = Store(), Naps(3)

    with pytest.raises(asyncio.CancelledError):
        await AlertKeeper(keeper, store, sleep=naps).run()

    assert naps.slept == [EVERY.total_seconds()] * 3
    assert kinds(keeper) == ["ORPHANED_RECORD"]
    first, then = store.told
    assert (first.changed, [one.finding.kind.value for one in then.changed]) == ((), ["ORPHANED_RECORD"])


async def test_without_a_store_alerts_are_in_memory(keeper):
    alerts = AlertKeeper(keeper)
    await alerts.look()
    await alerts.exchange()

    assert kinds(keeper) == ["ORPHANED_RECORD"]


async def test_a_silent_store_is_told_of_once_in_the_log_and_takes_no_alert_away(keeper, caplog):
    store = Store()
    alerts = AlertKeeper(keeper, store)
    store.silent = True
    await alerts.look()
    with caplog.at_level(logging.WARNING):
        await alerts.exchange()
        await alerts.exchange()
    store.silent = False
    await alerts.exchange()

    assert [record.getMessage() for record in caplog.records] == [
        "alerts are kept in memory alone: no answer in time"
    ]
    assert [one.finding.kind.value for one in store.told[0].changed] == ["ORPHANED_RECORD"]
    assert kinds(keeper) == ["ORPHANED_RECORD"]


@pytest.mark.parametrize("key", [NODES, SLURM_NODES, RECORDS], ids=lambda key: key.system.value)
async def test_what_rests_on_a_silent_system_neither_ends_nor_begins(keeper, hands, key):
    alerts = AlertKeeper(keeper)
    await alerts.look()
    keeper.touch(key, NEVER)
    for _ in range(3):
        hands.now += HOLDS
        await alerts.look()

    assert "ORPHANED_RECORD" in kinds(keeper)
    fresh = AlertKeeper(keeper)
    await fresh.look()
    assert "ORPHANED_RECORD" not in kinds(keeper)


async def test_another_systems_silence_keeps_nothing_open(keeper, hands):
    alerts = AlertKeeper(keeper)
    await alerts.look()
    slurm_queues = [key for key in keeper._contacts if key.system is System.QUEUES]
    for key in slurm_queues:
        keeper.touch(key, NEVER)
    keeper.replace(NODES, {"gpu-01": a_node()}, FRESH)
    await alerts.look()
    hands.now += HOLDS
    for key in set(keeper._contacts) - set(slurm_queues):
        keeper.touch(key, FRESH.succeeded(hands.now))
    await alerts.look()

    assert "ORPHANED_RECORD" in kinds(keeper, resolved=True)


async def test_a_rule_that_fails_ends_nothing_and_silences_no_other(keeper, hands, caplog):
    findings = [a_finding("gpu-01")]

    def finds(_fleet):
        return list(findings)

    def fails(_fleet):
        raise ZeroDivisionError

    alerts = AlertKeeper(keeper, rules=(fails, finds))
    await alerts.look()
    findings.clear()
    hands.now += 2 * HOLDS
    await alerts.look()
    await alerts.look()

    assert kinds(keeper) == ["ORPHANED_RECORD"]
    assert {record.message for record in caplog.records} == {"the rule fails failed; no alert ends meanwhile"}


async def test_a_rule_finds_no_more_than_a_thousand(keeper):
    def finds(_fleet):
        return (a_finding(f"gpu-{at}") for at in range(2 * MOST_OF_A_RULE))

    alerts = AlertKeeper(keeper, rules=(finds,))
    await alerts.look()

    assert len(kinds(keeper)) == MOST_OF_A_RULE
