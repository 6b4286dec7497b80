import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.decoding import UNREADABLE, decode_object, decode_text, read_time


class Part(msgspec.Struct):
    name: str
    size: int | None = None


class Whole(msgspec.Struct):
    name: str
    parts: list[Part] | None = None
    labels: dict[str, str] | None = None
    dotted: str | None = msgspec.field(name="a.b/c-d", default=None)
    inner: Part | None = None


WHOLE = msgspec.json.Decoder(Whole)


def decoded(body, **more):
    problems = []
    return decode_object(WHOLE, json.dumps(body).encode(), problems, **more), problems


def test_what_is_as_expected_is_decoded_without_a_word():
    whole, problems = decoded({"name": "a", "parts": [{"name": "p", "size": 1}], "other": [1, {"x": None}]})
    assert whole.parts == [Part("p", 1)]
    assert problems == []


@pytest.mark.parametrize(
    ("body", "path", "raw"),
    [
        ({"parts": "none"}, "parts", '"none"'),
        ({"parts": [{"name": "p", "size": "big"}]}, "parts[0].size", '"big"'),
        ({"parts": [{"size": 1}]}, "parts[0]", '{"size": 1}'),
        ({"parts": [{"name": "p"}, None]}, "parts[1]", "null"),
        ({"labels": {"a": "b", "n": 8}}, "labels[n]", "8"),
        ({"labels": {"a": "b", "n": None}}, "labels[n]", "null"),
        ({"labels": {"a": "b", "n": True}}, "labels[n]", "true"),
        ({"labels": []}, "labels", "[]"),
        ({"a.b/c-d": 7}, "a.b/c-d", "7"),
        ({"inner": {"name": 5}}, "inner.name", "5"),
    ],
)
def test_a_part_of_another_type_is_left_out_and_named(body, path, raw):
    whole, problems = decoded({"name": "a", **body})
    assert whole.name == "a"
    assert (problems[0].path, problems[0].raw) == (path, raw)
    if whole.labels:
        assert whole.labels == {"a": "b"}


def test_every_odd_part_is_named():
    body = {
        "name": "a",
        "inner": 1,
        "parts": [{"name": 1}, {"name": "p"}],
        "labels": {"x": 1, "y": 2, "z": "z"},
    }
    whole, problems = decoded(body)
    assert whole == Whole("a", parts=[Part("p")], labels={"z": "z"})
    assert {problem.path for problem in problems} == {
        "inner",
        "parts[0].name",
        "parts[0]",
        "labels[x]",
        "labels[y]",
    }


@pytest.mark.parametrize("body", [{}, {"name": 1}, [], "text", None, {"name": "a", "parts": [1] * 200}])
def test_without_what_is_required_nothing_is_decoded(body):
    with pytest.raises(msgspec.ValidationError):
        decoded(body)


def test_a_vital_part_is_never_left_out():
    with pytest.raises(msgspec.ValidationError):
        decoded({"name": "a", "parts": [{"name": "p", "size": "big"}]}, vital=("parts",))
    whole, _ = decoded({"name": "a", "labels": 1}, vital=("parts",))
    assert whole.name == "a"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(["name", "parts", "labels", "a.b/c-d", "inner"])


@given(st.dictionaries(FIELDS, JSON))
def test_whatever_an_object_holds_it_is_decoded_or_unreadable(body):
    try:
        whole, problems = decoded(body)
    except UNREADABLE:
        return
    assert whole.name == body["name"]
    assert bool(problems) is (decode_fails(body))


def decode_fails(body):
    try:
        WHOLE.decode(json.dumps(body))
    except msgspec.ValidationError:
        return True
    return False


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_bare_constant_is_read_as_its_word(constant):
    decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
    read = decode_text(decoder, f'{{"a": {constant}, "b": 1}}'.encode())
    assert {key: bytes(value) for key, value in read.items()} == {"a": f'"{constant}"'.encode(), "b": b"1"}


@pytest.mark.parametrize("text", [b"", b"{", b'{"a": nan}', b"[" * 100_000, b"\xef\xbb\xbf{}"])
def test_what_is_no_json_is_unreadable(text):
    with pytest.raises(UNREADABLE):
        decode_text(msgspec.json.Decoder(dict[str, msgspec.Raw]), text)


def test_reads_times_with_their_zone():
    problems = []
    assert read_time("2026-11-29T19:09:19Z", "t", problems) == datetime(2026, 11, 29, 19, 9, 19, tzinfo=UTC)
    assert read_time("2026-11-29T20:09:19.5+01:00", "t", problems).microsecond == 500_000
    assert read_time(None, "t", problems) is None
    assert problems == []


@pytest.mark.parametrize("text", ["soon", "2026-11-29T19:09:19", "2026-13-29T19:09:19Z"])
def test_a_time_that_cannot_be_told_is_unknown_and_named(text):
    problems = []
    assert isinstance(read_time(text, "status.startTime", problems), Unknown)
    assert [(it.path, it.raw) for it in problems] == [("status.startTime", text)]
