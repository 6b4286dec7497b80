import io
import json
import logging
import re

import pytest

from gateway.telemetry import REQUEST_ID, JsonLines, request_id


def line(record):
    return json.loads(JsonLines().format(record))


def a_record(message="it is so", *arguments, level=logging.INFO, error=None):
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("gateway.x", level, "x.py", 1, message, arguments, info)


def test_a_line_says_when_how_grave_who_and_what():
    told = line(a_record("%s is so", "it"))

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", told.pop("at"))
    assert told == {"level": "info", "logger": "gateway.x", "message": "it is so"}


def test_a_line_within_a_request_has_its_id():
    token = REQUEST_ID.set("seven")
    told = line(a_record())
    REQUEST_ID.reset(token)

    assert told["requestId"] == "seven"
    assert "requestId" not in line(a_record())


def test_fields_stand_beside_the_message_whatever_they_hold():
    record = a_record()
    record.fields = {"path": "/x", "what": {1}}

    assert line(record)["path"] == "/x"
    assert line(record)["what"] == "{1}"


def test_a_traceback_stays_within_its_line():
    error = ValueError("a\nb")
    stream = io.StringIO()
    stream.write(JsonLines().format(a_record(error=error)))

    assert len(stream.getvalue().splitlines()) == 1
    assert "ValueError: a\nb" in json.loads(stream.getvalue())["traceback"]


@pytest.mark.parametrize("offered", ["a", "web-17:a.b_C", "x" * 128])
def test_a_sane_id_is_kept(offered):
    assert request_id(offered) == offered


@pytest.mark.parametrize("offered", [None, "", "a b", "a\n", '"', "x" * 129, "é"])
def test_any_other_id_is_replaced_by_a_new_one(offered):
    first, second = request_id(offered), request_id(offered)

    assert re.fullmatch("[0-9a-f]{24}", first)
    assert first != second
