"""Why work waited, kept in a real Postgres: by several at once, over restarts, long after the events."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.controllers.recorder import Keeping, Recorder
from gateway.errors import SourceUnavailable
from gateway.fleet.pending.kept import REASONS
from gateway.fleet.pending.reason import ReasonsAsked
from gateway.fleet.source import SourceState, source_name
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.reasons import PostgresReasons
from tests.builders import CLUSTER, NOON, a_pod
from tests.fleet.pending.said import CORDONED, EVENT_LISTING, LACKING, an_event, speaking, waiting
from tests.fleets import FRESH, NODES, PODS, Hands, a_keeper
from tests.sources.postgres.running import open_session

SOON = timedelta(seconds=15)
WEEK, DAY = timedelta(days=7), timedelta(days=1)
KEEPING = Keeping(kept_for=timedelta(days=30), stale_after=timedelta(minutes=5))


class Site:
    """A fleet with its recorder, whose clock the test sets."""

    def __init__(self, dsn, *pods, events=()):
        self.dsn = dsn
        self.hands = Hands()
        self.keeper = speaking(*events, keeper=a_keeper([], pods, clock=self.hands))
        self.recorder = Recorder(self.keeper.pin, self.keeper, PostgresReasons(lambda: self.dsn), KEEPING)

    async def record(self, *pods, at=NOON, events=()):
        self.hands.now = at
        contact = FRESH.succeeded(at)
        for key in (NODES, PODS):
            self.keeper.touch(key, contact)
        self.keeper.replace(PODS, {(pod.namespace, pod.name): pod for pod in pods}, contact)
        speaking(*events, keeper=self.keeper)
        self.keeper.touch(EVENT_LISTING, contact)
        await self.recorder.record()


async def archive(dsn, **asked):
    wanted = ReasonsAsked(
        **{"cluster": CLUSTER, "namespaces": None, "subjects": None, "before": None, "limit": 50, **asked}
    )
    (page,) = await PostgresReasons(lambda: dsn).reasons([wanted])
    return page


async def test_a_reason_is_there_a_week_after_its_event_is_gone(migrated):
    site = Site(migrated)
    await site.record(waiting(), events=[an_event(count=3)])
    await site.record(waiting(None), at=NOON + WEEK)
    (reason,) = (await archive(migrated)).reasons
    assert (reason.message, reason.count, reason.total_nodes) == (LACKING, 3, 18)
    assert (reason.first_seen, reason.resolved_at) == (NOON, None)


async def test_it_is_resolved_when_the_pod_is_placed_and_holds_again_when_it_is_said_again(migrated):
    site = Site(migrated)
    await site.record(waiting())
    await site.record(a_pod(), at=NOON + DAY)
    (reason,) = (await archive(migrated)).reasons
    assert reason.resolved_at == NOON + DAY
    await site.record(waiting(since=NOON + WEEK), at=NOON + WEEK)
    (reason,) = (await archive(migrated)).reasons
    assert (reason.first_seen, reason.last_seen, reason.resolved_at) == (NOON, NOON + WEEK, None)


async def test_restarts_and_a_second_recorder_double_nothing(migrated):
    events = [an_event(count=4), an_event(uid="event-2", count=2)]
    sites = [Site(migrated) for _ in range(4)]
    await asyncio.gather(*(site.record(waiting(), events=events) for site in sites))
    await Site(migrated).record(waiting(), events=[an_event(count=3)])
    page = await archive(migrated)
    assert [(reason.count, page.total) for reason in page.reasons] == [(6, 1)]


async def test_what_a_recorder_that_is_behind_takes_for_gone_holds_again_at_once(migrated):
    site, behind = Site(migrated), Site(migrated)
    await site.record(waiting())
    await behind.record(at=NOON + SOON)
    (reason,) = (await archive(migrated)).reasons
    assert reason.resolved_at == NOON + SOON
    for _ in range(2):
        await site.record(waiting(), at=NOON + 2 * SOON)
    (reason,) = (await archive(migrated)).reasons
    assert reason.resolved_at is None


async def test_what_no_event_counts_was_said_once(migrated):
    await Site(migrated).record(waiting())
    assert [reason.count for reason in (await archive(migrated)).reasons] == [1]


async def test_of_a_storm_each_reason_is_kept_and_each_event_counts_once(migrated):
    pods = [waiting(name=f"work-{number}") for number in range(1_500)]
    storm = [
        replace(an_event(uid=f"event-{number}", count=2), about_name=name, about_uid=f"uid-{name}")
        for number in range(3_500)
        if (name := f"work-{number % 1_500}")
    ]
    await asyncio.gather(*(Site(migrated).record(*pods, events=storm) for _ in range(2)))
    page = await archive(migrated, limit=2_000)
    assert (page.total, sum(reason.count for reason in page.reasons)) == (1_500, 7_000)


async def test_another_reason_ends_the_one_before_and_comes_first(migrated):
    site = Site(migrated)
    await site.record(waiting())
    await site.record(waiting(CORDONED), at=NOON + DAY)
    told = [(reason.message, reason.resolved_at) for reason in (await archive(migrated)).reasons]
    assert told == [(CORDONED, None), (LACKING, NOON + DAY)]


async def test_what_was_resolved_long_ago_is_forgotten_and_what_holds_is_not(migrated):
    site = Site(migrated)
    still = waiting(CORDONED, name="work-1")
    await site.record(waiting(), still)
    await site.record(still, at=NOON + DAY)
    await site.record(still, at=NOON + DAY + KEEPING.kept_for)
    assert (await archive(migrated)).total == 2
    await site.record(still, at=NOON + DAY + KEEPING.kept_for + DAY)
    assert [one.message for one in (await archive(migrated)).reasons] == [CORDONED]


async def test_pages_go_by_number_and_lists_are_of_whom_is_asked(migrated):
    await Site(migrated).record(*(waiting(name=f"work-{number}") for number in range(5)))
    first = await archive(migrated, limit=2)
    assert (len(first.reasons), first.total) == (2, 5)
    rest = await archive(migrated, before=first.reasons[-1].number)
    assert len({reason.number for reason in (*first.reasons, *rest.reasons)}) == 5
    (one,) = (await archive(migrated, subjects=("uid-work-3",))).reasons
    assert one.pod_name == "work-3"
    assert (await archive(migrated, namespaces=('no"such\\place\x00',))).total == 0
    assert (await archive(migrated, namespaces=())).total == 0


async def test_pages_asked_in_different_ways_at_once_come_in_the_order_of_asking(migrated):
    await Site(migrated).record(*(waiting(name=f"work-{number}") for number in range(3)))
    base = {"cluster": CLUSTER, "namespaces": None, "subjects": None, "before": None, "limit": 1}
    ways = (
        {"subjects": ("uid-work-1",)},
        {},
        {"namespaces": ("training",)},
        {"subjects": ("uid-work-1",), "namespaces": ("elsewhere",)},
        {"subjects": ()},
        {"cluster": "elsewhere"},
    )
    pages = await PostgresReasons(lambda: migrated).reasons([ReasonsAsked(**{**base, **one}) for one in ways])
    assert [page.total for page in pages] == [1, 3, 3, 0, 0, 0]
    assert [one.pod_name for one in pages[0].reasons] == ["work-1"]
    assert pages[1] == pages[2]


async def test_rows_that_come_between_two_pages_move_none(migrated):
    site = Site(migrated)
    await site.record(*(waiting(name=f"work-{number}") for number in range(3)))
    first = await archive(migrated, limit=2)
    await site.record(*(waiting(name=f"work-{number}") for number in range(9)))
    rest = await archive(migrated, before=first.reasons[-1].number)
    shown = [one.pod_name for one in (*first.reasons, *rest.reasons)]
    assert sorted(shown) == ["work-0", "work-1", "work-2"]


async def test_whose_clock_is_ahead_opens_nothing_again(migrated):
    ahead = replace(an_event(), last_seen=NOON + WEEK)
    await Site(migrated).record(waiting(), events=[ahead])
    await Site(migrated).record(a_pod(), at=NOON + DAY, events=[ahead])
    (reason,) = (await archive(migrated)).reasons
    assert (reason.first_seen, reason.last_seen, reason.resolved_at) == (NOON, NOON + DAY, NOON + DAY)


async def test_an_event_from_before_what_is_kept_is_not_kept_anew(migrated):
    site = Site(migrated)
    await site.record(at=NOON + KEEPING.kept_for + DAY, events=[an_event()])
    assert (await archive(migrated)).total == 0


async def test_what_was_told_to_a_database_that_is_lost_is_told_to_the_next(migrated, postgres):
    site = Site(migrated)
    await site.record(waiting(), events=[an_event(CORDONED)])
    site.dsn = "postgresql://postgres@127.0.0.1:1/gateway"
    for _ in range(3):
        await site.record(waiting(), events=[an_event(CORDONED)])
    async with postgres.database() as another:
        await migrate(another)
        site.dsn = another
        await site.record(waiting(), events=[an_event(CORDONED)])
        assert {one.message for one in (await archive(another)).reasons} == {LACKING, CORDONED}


async def test_whose_pod_it_is_is_told_once_it_is_known(migrated):
    site = Site(migrated)
    await site.record(events=[an_event()])
    await site.record(replace(waiting(), controller="Job/train"), events=[an_event()])
    assert [one.controller for one in (await archive(migrated)).reasons] == ["Job/train"]


async def test_another_recorder_that_hangs_is_not_waited_for_long(migrated):
    site = Site(migrated)
    async with open_session(migrated) as hanging, hanging.transaction():
        await hanging.execute("SELECT pg_advisory_xact_lock($1)", 0x72656173)
        await site.record(waiting())
        status = next(one for one in site.keeper.pin().sources if one.name == source_name(REASONS))
        assert "lock timeout" in status.error
    await site.record(waiting())
    assert (await archive(migrated)).total == 1


async def test_a_message_with_a_nul_is_kept_all_the_same(migrated):
    said = "a plugin of ours said %s in C:\\u0000 \N{FAMILY} \u202e"
    await Site(migrated).record(waiting(said % "\x00"))
    (kept,) = (await archive(migrated)).reasons
    assert (kept.message, kept.parts[0].text) == (said % "\ufffd", said % "\ufffd")


async def test_a_silent_database_is_told_as_a_silent_listing_and_loses_nothing(migrated):
    site = Site(migrated)
    site.dsn = "postgresql://postgres@127.0.0.1:1/gateway"
    await site.record(waiting())
    fleet = site.keeper.pin()
    status = next(one for one in fleet.sources if one.name == source_name(REASONS))
    assert (status.state, fleet.silence(*REASONS) is not None) == (SourceState.NEVER, True)
    site.dsn = migrated
    await site.record(waiting())
    assert [one.message for one in (await archive(migrated)).reasons] == [LACKING]
    assert site.keeper.pin().silence(*REASONS) is None


async def test_the_recorder_role_keeps_and_the_api_role_only_reads(migrated):
    as_recorder = migrated.replace("postgres@", "gateway_recorder@")
    as_api = migrated.replace("postgres@", "gateway_api@")
    await Site(as_recorder).record(waiting())
    assert (await archive(as_api)).total == 1
    refused = Site(as_api)
    await refused.record(waiting(CORDONED))
    status = next(one for one in refused.keeper.pin().sources if one.name == source_name(REASONS))
    assert "permission denied" in (status.error or "")


async def test_whoever_asks_a_silent_database_is_told():
    with pytest.raises(SourceUnavailable):
        await archive("postgresql://postgres@127.0.0.1:1/gateway")
