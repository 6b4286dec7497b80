from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.controllers.alert_book import HOLDS, AlertBook, merged
from gateway.errors import System
from gateway.fleet.alert import REMEMBERED, Alert, AlertKind, Evidence, Finding, Severity
from gateway.fleet.entity import EntityKind, entity_id
from tests.builders import CLUSTER, NOON

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def a_finding(name="gpu-01", message="gone", **told):
    return Finding(
        kind=AlertKind.ORPHANED_RECORD,
        severity=Severity.WARNING,
        subject=entity_id(EntityKind.NODE, CLUSTER, name),
        subject_name=name,
        cluster=CLUSTER,
        tenant=None,
        message=message,
        claim=Evidence(system=System.PLATFORM, path="node_record", value=None),
        evidence=(),
        remedies=(),
        **told,
    )


GONE = a_finding()


def look(book, *findings, at=NOON, unjudged=(), **how):
    book.look({one.id: one for one in findings}, set(unjudged), at, **how)
    return book.alerts.get(GONE.id)


def an_alert(first=NOON, last=NOON, resolved=None):
    return Alert(id=GONE.id, finding=GONE, first_seen=first, last_seen=last, resolved_at=resolved)


def test_what_is_found_again_is_the_same_alert_seen_later():
    book = AlertBook()
    look(book, GONE)

    alert = look(book, GONE, at=NOON + MINUTE)

    assert (alert.first_seen, alert.last_seen, alert.resolved_at) == (NOON, NOON + MINUTE, None)


def test_other_words_and_numbers_are_the_same_alert():
    book = AlertBook()
    look(book, GONE)

    alert = look(book, a_finding(message="gone, 4 cards"), at=NOON + MINUTE)

    assert (alert.finding.message, alert.first_seen) == ("gone, 4 cards", NOON)


def test_an_alert_is_over_when_its_cause_was_away_for_long_enough():
    book = AlertBook()
    look(book, GONE)

    assert look(book, at=NOON + SECOND).is_open
    assert look(book, at=NOON + HOLDS).is_open
    assert look(book, at=NOON + SECOND + HOLDS).resolved_at == NOON + SECOND + HOLDS
    assert book.alerts.get(GONE.id).last_seen == NOON


def test_a_value_that_flaps_is_one_alert():
    book = AlertBook()

    for minute in range(60):
        alert = look(book, *((GONE,) if minute % 4 == 0 else ()), at=NOON + minute * MINUTE)

    assert (alert.first_seen, alert.resolved_at) == (NOON, None)


def test_what_comes_back_after_it_was_over_is_new():
    book = AlertBook()
    look(book, GONE)
    look(book, at=NOON + MINUTE)
    look(book, at=NOON + MINUTE + HOLDS)

    alert = look(book, GONE, at=NOON + 10 * MINUTE)

    assert (alert.first_seen, alert.resolved_at) == (NOON + 10 * MINUTE, None)


def test_silence_ends_nothing_and_does_not_count_as_absence():
    book = AlertBook()
    look(book, GONE)

    assert look(book, at=NOON + 60 * MINUTE, unjudged=[GONE.id]).is_open
    assert look(book, at=NOON + 61 * MINUTE).is_open
    assert not look(book, at=NOON + 61 * MINUTE + HOLDS).is_open


def test_what_must_last_is_raised_when_it_did_without_a_break():
    lasting = a_finding(lasts=30 * SECOND)
    book = AlertBook()

    assert look(book, lasting) is None
    assert look(book, at=NOON + 10 * SECOND) is None
    assert look(book, lasting, at=NOON + 20 * SECOND) is None
    assert look(book, lasting, at=NOON + 49 * SECOND) is None
    assert look(book, lasting, at=NOON + 50 * SECOND).first_seen == NOON + 50 * SECOND


def test_where_no_time_passes_nothing_must_last():
    assert look(AlertBook(), a_finding(lasts=MINUTE), at_once=True).is_open


def test_what_is_over_for_long_is_forgotten():
    book = AlertBook()
    look(book, GONE)
    look(book, at=NOON + SECOND)
    look(book, at=NOON + SECOND + HOLDS)

    assert look(book, at=NOON + REMEMBERED) is not None
    assert look(book, at=NOON + 2 * HOLDS + REMEMBERED) is None


def test_news_are_told_once_and_a_sign_of_life_each_half_minute():
    book = AlertBook()
    look(book, GONE)
    first = book.news(NOON)
    book.told(first, [])
    look(book, GONE, at=NOON + 5 * SECOND)

    assert [alert.id for alert in first.changed] == [GONE.id]
    assert book.news(NOON + 5 * SECOND) is None
    life = book.news(NOON + 30 * SECOND)
    assert (life.changed, [alert.last_seen for alert in life.seen]) == ((), [NOON + 5 * SECOND])


def test_news_that_were_not_taken_are_told_again():
    book = AlertBook()
    look(book, GONE)
    book.news(NOON)

    assert [alert.id for alert in book.news(NOON + SECOND).changed] == [GONE.id]


def test_hearing_the_same_again_is_no_news():
    book = AlertBook()
    look(book, GONE)
    book.told(book.news(NOON), [])
    later = replace(GONE, claim=replace(GONE.claim, observed_at=NOON))

    alert = look(book, later, at=NOON + SECOND)

    assert alert.finding.claim.observed_at == NOON
    assert book.news(NOON + SECOND) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "first", "last", "resolved"),
    [
        (None, an_alert(), NOON, NOON, None),
        (an_alert(NOON + MINUTE, NOON + MINUTE), an_alert(), NOON, NOON + MINUTE, None),
        (an_alert(), an_alert(NOON + MINUTE, NOON + MINUTE), NOON, NOON + MINUTE, None),
        (an_alert(), an_alert(resolved=NOON + MINUTE), NOON, NOON, NOON + MINUTE),
        (an_alert(last=NOON + 2 * MINUTE), an_alert(resolved=NOON + MINUTE), NOON, NOON + 2 * MINUTE, None),
        (an_alert(resolved=NOON + MINUTE), an_alert(last=NOON + 2 * MINUTE), NOON, NOON + 2 * MINUTE, None),
        (an_alert(resolved=NOON + MINUTE), an_alert(), NOON, NOON, NOON + MINUTE),
        (an_alert(resolved=NOON + MINUTE), an_alert(resolved=NOON), NOON, NOON, NOON),
    ],
    ids=[
        "only theirs",
        "they saw it first",
        "they saw it last",
        "they saw it end",
        "we saw it since",
        "they see it still",
        "we saw it end",
        "both saw it end",
    ],
)
def test_two_replicas_agree(ours, theirs, first, last, resolved):
    alert = merged(ours, theirs)

    assert (alert.first_seen, alert.last_seen, alert.resolved_at) == (first, last, resolved)
