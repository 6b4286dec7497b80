from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from gateway.errors import SourceRefused, SourceUnavailable, System
from gateway.fleet.source import Contact, SourceKey, SourceState
from gateway.sources.sync import Item, Listing, Problem, Rhythm, in_time, pauses, poll
from tests.fakes.feed import RecordingFeed

KEY = SourceKey(System.KUBERNETES, "fleet", "nodes")
START = datetime(2026, 11, 29, 12, tzinfo=UTC)
BAD = Problem(path="status", raw="x" * 500, text="cannot be read")
WORSE = Problem(path="spec", raw="y", text="cannot be read either")


class Clock:
    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def pass_minutes(self, minutes):
        self.now += timedelta(minutes=minutes)


class Setting:
    """A listing, what it is told by, and what it tells."""

    def __init__(self):
        self.clock, self.feed = Clock(), RecordingFeed()
        contact = Contact(fresh_for=timedelta(seconds=45), stale_after=timedelta(minutes=5))
        self.listing = Listing(KEY, self.feed, self.clock, contact)

    @property
    def contact(self):
        return self.feed.contacts[KEY]

    @property
    def rows(self):
        return self.feed.rows.get(KEY)

    def state(self):
        return self.contact.state(self.clock())


@pytest.fixture
def setting():
    return Setting()


def item(name, *problems, record=1):
    return Item(key=name, subject=f"nodes/{name}", record=record, problems=problems)


def test_is_never_reached_before_the_first_answer(setting):
    assert setting.state() is SourceState.NEVER
    assert setting.rows is None


def test_tells_all_that_is_there_without_what_could_not_be_read(setting):
    setting.listing.listed([item("a"), item("b", BAD, record=None), item("c", WORSE, record=3)])
    assert setting.rows == {"a": 1, "c": 3}
    assert [(it.subject, it.path) for it in setting.contact.skipped] == [
        ("nodes/b", "status"),
        ("nodes/c", "spec"),
    ]
    assert setting.state() is SourceState.FRESH


def test_keeps_200_characters_of_what_could_not_be_read(setting):
    setting.listing.listed([item("b", BAD, record=None)])
    assert setting.contact.skipped[0].raw == "x" * 200


def test_what_was_there_before_a_list_and_is_not_in_it_is_gone(setting):
    setting.listing.listed([item("a"), item("b", BAD, record=None)])
    setting.listing.listed([item("c")])
    assert setting.rows == {"c": 1}
    assert setting.contact.skipped == ()


def test_an_object_that_cannot_be_read_any_more_is_gone_and_named(setting):
    setting.listing.listed([item("a"), item("b")])
    setting.listing.changed([item("a", BAD, record=None)])
    assert setting.rows == {"b": 1}
    assert [it.subject for it in setting.contact.skipped] == ["nodes/a"]


def test_a_name_leaves_the_list_of_skipped_when_it_is_read_or_gone(setting):
    setting.listing.listed([item("a", BAD, record=None), item("b", BAD, record=None), item("c")])
    setting.listing.changed([item("a")], gone=["b"])
    assert setting.rows == {"a": 1, "c": 1}
    assert setting.contact.skipped == ()


def test_remembers_since_when_a_value_cannot_be_read(setting):
    setting.listing.listed([item("a", BAD)])
    setting.clock.pass_minutes(1)
    setting.listing.changed([item("a", BAD, WORSE)])
    setting.clock.pass_minutes(1)
    setting.listing.listed([item("a", BAD, WORSE)])
    assert {it.path: it.since for it in setting.contact.skipped} == {
        "status": START,
        "spec": START + timedelta(minutes=1),
    }


def test_a_failure_keeps_what_is_held_and_lets_it_grow_old(setting):
    setting.listing.listed([item("a")])
    setting.listing.failed(SourceUnavailable(System.KUBERNETES, "no route"))
    assert setting.rows == {"a": 1}
    assert (setting.contact.error, setting.contact.retryable) == ("no route", True)
    assert setting.state() is SourceState.STALE
    setting.clock.pass_minutes(6)
    assert setting.state() is SourceState.DOWN
    setting.listing.heard()
    assert setting.state() is SourceState.FRESH
    assert setting.contact.error is None


def test_contact_that_is_late_is_stale_without_any_failure(setting):
    setting.listing.listed([])
    setting.clock.pass_minutes(1)
    assert setting.state() is SourceState.STALE


def test_failures_in_a_row_are_counted(setting):
    for _ in range(3):
        setting.listing.failed(SourceRefused(System.KUBERNETES, "401"))
    assert setting.contact.consecutive_failures == 3
    assert not setting.contact.retryable
    assert setting.state() is SourceState.NEVER


def test_what_is_absent_holds_nothing_until_it_is_listed(setting):
    setting.listing.listed([item("a", BAD)])
    setting.listing.absent()
    assert (setting.rows, setting.contact.skipped) == ({}, ())
    assert setting.state() is SourceState.ABSENT
    setting.listing.listed([])
    assert setting.state() is SourceState.FRESH


def test_what_another_heard_counts_from_when_it_was_said(setting):
    setting.listing.listed([item("a")], START - timedelta(minutes=2))
    assert setting.contact.last_success_at == START - timedelta(minutes=2)
    assert setting.state() is SourceState.STALE


def test_what_a_clock_ahead_of_ours_dates_later_was_said_now(setting):
    setting.listing.listed([item("a")], START + timedelta(minutes=2))
    assert setting.contact.last_success_at == START
    assert setting.state() is SourceState.FRESH


def test_pauses_double_to_a_limit():
    waits = pauses(timedelta(seconds=1), timedelta(seconds=5), chance=lambda: 1.0)
    assert list(islice(waits, 5)) == [1, 2, 4, 5, 5]


def test_pauses_are_shortened_by_chance_to_no_less_than_half():
    waits = pauses(timedelta(seconds=1), timedelta(seconds=5), chance=lambda: 0.0)
    assert list(islice(waits, 4)) == [0.5, 1, 2, 2.5]


class Enough(Exception):
    """The test has seen enough."""


async def polled(answers):
    """What is told and slept while these answers are read: errors, how long one is good for, or None."""
    told, slept, left = [], [], iter(answers)

    async def read():
        answer = next(left, Enough())
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(seconds):
        slept.append(seconds)

    rhythm = Rhythm(
        every=timedelta(seconds=60), first_pause=timedelta(seconds=1), longest_pause=timedelta(seconds=2)
    )
    with pytest.raises(Enough):
        await poll(read, told.append, rhythm, sleep)
    return told, slept


async def test_polls_in_its_rhythm_and_waits_longer_after_each_failure():
    failure = SourceUnavailable(System.KUBERNETES, "no route")
    told, slept = await polled([None, failure, failure, failure, None, failure])
    assert told == [failure] * 4
    bounds = [(60, 60), (0.5, 1), (1, 2), (1, 2), (60, 60), (0.5, 1)]
    assert all(low <= pause <= high for pause, (low, high) in zip(slept, bounds, strict=True))


async def test_what_was_read_says_how_long_it_is_good_for_where_that_is_not_the_rhythm():
    told, slept = await polled([timedelta(seconds=7), None, timedelta(0)])
    assert (told, slept) == ([], [7, 60, 0])


async def test_only_errors_of_the_source_are_waited_out():
    told, slept = await polled([])
    assert (told, slept) == ([], [])


@pytest.mark.parametrize(("stale_after", "span"), [(300, 30), (120, 30), (8, 2)])
def test_a_span_is_short_enough_to_notice_silence_before_values_are_withheld(stale_after, span):
    assert in_time(timedelta(seconds=30), timedelta(seconds=stale_after)) == timedelta(seconds=span)
