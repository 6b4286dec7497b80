from datetime import UTC, datetime

import msgspec
import pytest

from gateway.sources.kubernetes.events import read_event

POD = {"kind": "Pod", "namespace": "vision", "name": "train-0", "uid": "uid-train-0", "resourceVersion": "12"}
NEW = {
    "eventTime": "2026-11-29T19:58:22.857560Z",
    "firstTimestamp": None,
    "lastTimestamp": None,
    "source": {},
    "reportingComponent": "default-scheduler",
}
OLD = {
    "eventTime": None,
    "firstTimestamp": "2026-11-29T19:30:46Z",
    "lastTimestamp": "2026-11-29T19:41:00Z",
    "count": 12,
    "source": {"component": "volcano"},
    "reportingComponent": "",
}


def read(form, problems=None, **parts):
    body = {
        "metadata": {"name": "train-0.1", "namespace": "vision", "uid": "uid-event"},
        "involvedObject": POD,
        "reason": "FailedScheduling",
        "message": "0/7 nodes are available: 7 Insufficient cpu.",
        **form,
        **parts,
    }
    found = [] if problems is None else problems
    return read_event("fleet", msgspec.Raw(msgspec.json.encode(body)), found)


def at(hour, minute, second, micro=0):
    return datetime(2026, 11, 29, hour, minute, second, micro, tzinfo=UTC)


def test_an_event_of_a_new_recorder_counts_in_its_series():
    once = read(NEW)
    series = read(NEW, series={"count": 7, "lastObservedTime": "2026-11-29T20:10:00.000000Z"})
    assert (once.count, once.first_seen, once.last_seen) == (
        1,
        at(19, 58, 22, 857560),
        at(19, 58, 22, 857560),
    )
    assert (series.count, series.last_seen) == (7, at(20, 10, 0))
    assert (series.reporter, series.about_uid, series.uid) == (
        "default-scheduler",
        "uid-train-0",
        "uid-event",
    )


def test_an_event_of_an_old_recorder_counts_in_itself():
    event = read(OLD)
    assert (event.count, event.reporter) == (12, "volcano")
    assert (event.first_seen, event.last_seen) == (at(19, 30, 46), at(19, 41, 0))


def test_an_event_without_any_time_of_its_own_is_as_old_as_it_was_written():
    metadata = {"name": "a", "namespace": "vision", "creationTimestamp": "2026-11-29T19:00:00Z"}
    event = read({}, metadata=metadata)
    assert (event.first_seen, event.uid) == (at(19, 0, 0), "vision/a")


@pytest.mark.parametrize("reason", ["Scheduled", "Pulled", "Evict"])
def test_events_about_something_else_are_of_no_interest(reason):
    assert read(OLD, reason=reason) is None


def test_a_time_that_is_none_is_told_and_the_rest_is_read():
    problems = []
    event = read({**OLD, "lastTimestamp": "yesterday"}, problems)
    assert (event.last_seen, event.count) == (None, 12)
    assert [problem.path for problem in problems] == ["lastTimestamp"]


@pytest.mark.parametrize(
    ("message", "is_kept"),
    [
        ('failed to get sandbox runtime: no runtime for "nvidia" is configured', True),
        ("failed to set up sandbox: plugin type calico failed", False),
    ],
)
def test_of_pods_that_cannot_begin_to_start_those_without_a_runtime_are_kept(message, is_kept):
    event = read(OLD, reason="FailedCreatePodSandBox", message=message)

    assert (event is not None) is is_kept


def test_what_anyone_may_write_into_an_event_is_cut_to_what_can_be_kept():
    about = {"kind": "Pod", "namespace": "vision", "name": "n" * 10_000, "uid": "\x00" + "u" * 10_000}
    event = read(NEW, involvedObject=about, message="m" * 1_000_000, reportingComponent="r" * 10_000)
    assert (event.about_name, event.about_uid) == ("n" * 253, "\ufffd" + "u" * 252)
    assert (event.message, event.reporter) == ("m" * 8192 + " ...", "r" * 253)
