"""Bytes of the API server become structs; what is odd in an object is left out and named."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from gateway.errors import System
from gateway.fleet.unknown import Maybe, undetermined
from gateway.sources.sync import Problem

T = TypeVar("T")

UNREADABLE = (msgspec.MsgspecError, RecursionError, ValueError, ArithmeticError)
"""What decoding one object may raise; deep nesting is a RecursionError (msgspec 0.23)."""

_MOST_ODDITIES = 50
_PLACED = re.compile(r"(?P<text>.*?) - at `(?P<whole>key in )?\$(?P<path>.*)`", re.DOTALL)
_GOT = re.compile(r", got `(?P<type>\w+)`")
_TYPES = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    list: "array",
    dict: "object",
    type(None): "null",
}


def decode_text(decoder: msgspec.json.Decoder[T], text: bytes) -> T:
    """Decode a document; a bare NaN or Infinity in it is read as that word, where a number was expected."""
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        words = json.loads(text.decode(errors="replace"), parse_constant=str)
        return decoder.decode(msgspec.json.encode(words))


def decode_object(
    decoder: msgspec.json.Decoder[T],
    raw: msgspec.Raw | bytes,
    problems: list[Problem],
    *,
    vital: tuple[str, ...] = (),
) -> T:
    """Decode an object; a part of an unexpected type is left out and told, unless it is vital."""
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        found: list[Problem] = []
        decoded = _without_oddities(decoder, raw, found, error)
        if any(problem.path.startswith(vital) for problem in found):
            raise
        problems += found
        return decoded


def _without_oddities(
    decoder: msgspec.json.Decoder[T], raw: msgspec.Raw | bytes, found: list[Problem], first: Exception
) -> T:
    document = msgspec.json.decode(raw)
    error = first
    for _ in range(_MOST_ODDITIES):
        taken = list(_take_out(document, str(error)))
        if not taken:
            break
        found += taken
        try:
            return decoder.decode(msgspec.json.encode(document))
        except msgspec.ValidationError as another:
            error = another
    raise first


def _take_out(document: Any, message: str) -> Iterator[Problem]:  # noqa: ANN401  JSON
    """Remove from a document what a message of msgspec points at."""
    placed = _PLACED.fullmatch(message)
    if placed is None:
        return
    path = placed["path"]
    if path.endswith("[...]"):  # some value of a mapping: msgspec does not say which
        mapping = _at(document, path.removesuffix("[...]"))
        got = _GOT.search(message)
        odd = [key for key, value in mapping.items() if got and _TYPES[type(value)] == got["type"]]
        for key in odd:
            yield _problem(f"{path.removesuffix('[...]')}[{key}]", mapping.pop(key), placed["text"])
        if odd:
            return
        path = path.removesuffix("[...]")
    holder, step = _holder(document, path)
    if holder is not None:
        yield _problem(path, holder.pop(step), placed["text"])


def _problem(path: str, value: Any, text: str) -> Problem:  # noqa: ANN401  JSON
    return Problem(path=path.lstrip("."), raw=json.dumps(value), text=text)


def _at(document: Any, path: str) -> Any:  # noqa: ANN401  JSON
    holder, step = _holder(document, path)
    return document if holder is None else holder[step]


def _holder(document: Any, path: str) -> tuple[Any, str | int | None]:  # noqa: ANN401  JSON
    """What holds the value at a path, and under which key or index; nothing holds the document itself."""
    holder, step = None, None
    while path:
        holder = document if holder is None else holder[step]
        step, path = _step(holder, path)
    return holder, step


def _step(holder: Any, path: str) -> tuple[str | int, str]:  # noqa: ANN401  JSON
    if path.startswith("["):
        index, _, rest = path[1:].partition("]")
        return int(index), rest
    # Keys may contain dots: the longest that fits is meant.
    key: str = max((key for key in holder if _begins(path[1:], key)), key=len)
    return key, path[1 + len(key) :]


def _begins(path: str, key: str) -> bool:
    return path.startswith(key) and path[len(key) : len(key) + 1] in {"", ".", "["}


def read_time(text: str | None, path: str, problems: list[Problem]) -> Maybe[datetime]:
    """Read a time; None where there is none."""
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        problems.append(Problem(path=path, raw=text, text=f"{text!r} is no time of RFC 3339"))
        return undetermined(System.KUBERNETES, f"{path}: {text!r} is no time")
    return time
