from datetime import timedelta

import pytest

from gateway.errors import System
from gateway.fleet.source import Contact, SourceKey, SourceState, source_name
from gateway.fleet.unknown import UnknownCode
from tests.builders import NOON

CONTACT = Contact(fresh_for=timedelta(minutes=1), stale_after=timedelta(minutes=10))
HEARD = CONTACT.succeeded(NOON)
KEY = SourceKey(System.SLURM, "island", "nodes")


def after(**passed):
    return NOON + timedelta(**passed)


STATES = {
    "never reached": (CONTACT, NOON, SourceState.NEVER),
    "never reached, and tried": (CONTACT.failed(NOON, "refused"), NOON, SourceState.NEVER),
    "just heard of": (HEARD, NOON, SourceState.FRESH),
    "heard of lately": (HEARD, after(minutes=1), SourceState.FRESH),
    "late": (HEARD, after(seconds=61), SourceState.STALE),
    "failing, and heard of lately": (HEARD.failed(NOON, "refused"), NOON, SourceState.STALE),
    "as late as may be": (HEARD, after(minutes=10), SourceState.STALE),
    "too late": (HEARD, after(minutes=10, seconds=1), SourceState.DOWN),
    "heard of again": (HEARD.failed(NOON, "x").succeeded(after(hours=1)), after(hours=1), SourceState.FRESH),
}


@pytest.mark.parametrize(("contact", "now", "state"), STATES.values(), ids=STATES.keys())
def test_tells_how_fresh_a_source_is(contact, now, state):
    assert contact.state(now) is state


def test_counts_failures_in_a_row():
    contact = HEARD.failed(after(seconds=1), "refused").failed(after(seconds=2), "timed out", retryable=False)

    assert (contact.consecutive_failures, contact.error, contact.retryable) == (2, "timed out", False)
    assert (contact.last_success_at, contact.last_attempt_at) == (NOON, after(seconds=2))
    again = contact.succeeded(after(seconds=3))
    assert (again.consecutive_failures, again.error) == (0, None)


def test_silence_says_who_since_when_and_why():
    down = HEARD.failed(after(minutes=5), "connection refused").silence(KEY, after(minutes=11))

    assert (down.code, down.system, down.place) == (UnknownCode.SOURCE_STALE, System.SLURM, "island")
    assert (down.observed_at, down.is_silence) == (NOON, True)
    assert down.reason == "slurm/island/nodes is silent: connection refused"
    never = CONTACT.silence(KEY, NOON)
    assert (never.code, never.observed_at) == (UnknownCode.SOURCE_UNAVAILABLE, None)
    assert never.reason == "slurm/island/nodes was never reached"


def test_what_is_fresh_stale_or_absent_is_not_silent():
    absent = Contact(fresh_for=timedelta(0), stale_after=timedelta(0), absent=True)

    assert HEARD.silence(KEY, NOON) is None
    assert HEARD.silence(KEY, after(minutes=9)) is None
    assert absent.silence(KEY, NOON) is None


def test_names_sources_as_people_read_them():
    assert source_name(KEY) == "slurm/island/nodes"
    assert source_name(SourceKey(System.PLATFORM, "", "records")) == "platform/records"
