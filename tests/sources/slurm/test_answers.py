import pytest

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable
from gateway.sources.slurm.answers import read_list
from gateway.sources.slurm.api import Answer
from tests.sources.slurm.recordings import error


def answer(status: int, body: bytes) -> Answer:
    return Answer("Slurm lab (http://slurm/nodes)", status, body)


@pytest.mark.parametrize(
    ("name", "status", "meaning", "said"),
    [
        ("v0.0.38-nohdr", 401, SourceRefused, "Authentication failure"),
        ("v0.0.38-badtoken", 500, SourceUnavailable, "a slurmctld that is silent and for a token"),
        ("v0.0.38-ctld-down-nodes", 500, SourceUnavailable, "a slurmctld that is silent and for a token"),
        ("v0.0.38-ctld-down-jobs", 500, SourceUnavailable, "Failed while looking for jobs"),
        ("v0.0.38-ctld-down-partitions", 500, SourceUnavailable, "Unspecified error"),
        ("v0.0.38-ctld-down-ping", 500, SourceUnavailable, "slurmctld config is unable to load"),
        ("v0.0.38-ctld-hung-nodes", 500, SourceUnavailable, "a slurmctld that is silent and for a token"),
        ("v0.0.38-nosuchnode", 500, SourceUnavailable, "Invalid node name specified"),
        ("v0.0.38-badversion", 404, SourceMisread, "HTTP 404 Unable find requested URL"),
        ("v0.0.38-accept-html", 415, SourceMisread, "HTTP 415 Accept content type is unknown"),
        ("v0.0.42-nohdr", 401, SourceRefused, "Authentication failure"),
        ("v0.0.42-badtoken", 511, SourceRefused, "Protocol authentication error: renew the token"),
        ("v0.0.42-ctld-down-nodes", 502, SourceUnavailable, "Unable to contact slurm controller"),
        ("v0.0.42-ctld-down-jobs", 502, SourceUnavailable, "Unable to contact slurm controller"),
        ("v0.0.42-ctld-down-partitions", 502, SourceUnavailable, "HTTP 502"),
        ("v0.0.42-ctld-hung-nodes", 504, SourceUnavailable, "Socket timed out"),
        ("v0.0.42-nosuchnode", 200, SourceUnavailable, "Failure to query node nope: No error"),
        ("v0.0.42-upd-future-jobs", 200, SourceMisread, "No job changes since update_time"),
    ],
)
def test_a_recorded_failure_is_never_an_empty_list(
    name: str, status: int, meaning: type[SourceError], said: str
):
    what = "jobs" if "jobs" in name else "pings" if "ping" in name else "nodes"
    with pytest.raises(meaning, match=r"http://slurm/nodes") as caught:
        read_list(answer(status, error(name)), what)
    assert type(caught.value) is meaning
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body", "meaning"),
    [
        (304, b"", SourceMisread),
        (302, b"", SourceMisread),
        (403, b"<html>", SourceRefused),
        (429, b"", SourceUnavailable),
        (503, b"<html>", SourceUnavailable),
        (500, b"Authentication does not apply to request", SourceRefused),
        (500, b'{"errors": [{"error_number": 2002, "error": "Access denied"}]}', SourceRefused),
        (200, b'{"errors": [{"error_number": 1007}], "nodes": [{}]}', SourceRefused),
        (200, b'{"errors": [{"error_number": 1}], "nodes": [{}]}', SourceUnavailable),
        (200, b'{"errors": ["odd"], "nodes": [{}]}', SourceUnavailable),
        (200, b'{"errors": [{"error_number": {}}], "nodes": [{}]}', SourceUnavailable),
        (200, b'{"errors": "odd", "nodes": [{}]}', SourceMisread),
        (200, b'{"errors": []}', SourceMisread),
        (200, b'{"nodes": null}', SourceMisread),
        (200, b'{"nodes": {}}', SourceMisread),
        (200, b'{"nodes": [{"name": "gpu-01"}', SourceMisread),
        (200, b"", SourceMisread),
        (200, b"[]", SourceMisread),
        (200, b"<html>", SourceMisread),
        (200, b'{"x": ' + b"[" * 100_000, SourceMisread),
        (200, b'{"nodes": [], "warnings": [{"description": "hidden"}]}', SourceMisread),
    ],
)
def test_an_answer_that_does_not_say_what_was_asked_is_an_error(
    status: int, body: bytes, meaning: type[SourceError]
):
    with pytest.raises(meaning):
        read_list(answer(status, body), "nodes")


@pytest.mark.parametrize(
    "body",
    [
        b'{"jobs": []}',
        b'{"jobs": [], "errors": [], "warnings": []}',
        b'{"jobs": [], "warnings": [{"description": "Zero jobs to dump", "source": ""}]}',
        b'{"jobs": [], "errors": null, "warnings": null}',
    ],
)
def test_no_jobs_is_an_answer_where_nothing_speaks_against_it(body: bytes):
    assert read_list(answer(200, body), "jobs") == []


def test_a_warning_beside_what_was_asked_spoils_nothing():
    body = b'{"jobs": [{"job_id": 1}], "warnings": [{"description": "odd"}]}'
    assert [bytes(text) for text in read_list(answer(200, body), "jobs")] == [b'{"job_id": 1}']


def test_the_bare_words_infinity_and_nan_do_not_spoil_what_stands_beside_them():
    body = b'{"jobs": [{"job_id": 1, "priority": Infinity}, {"job_id": 2, "share": NaN}]}'
    found = [bytes(text) for text in read_list(answer(200, body), "jobs")]
    assert found == [b'{"job_id":1,"priority":null}', b'{"job_id":2,"share":null}']


def test_a_refusal_says_what_to_do():
    with pytest.raises(SourceRefused, match="wants a user name beside it"):
        read_list(answer(401, b"Authentication failure"), "nodes")
