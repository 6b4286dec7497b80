"""Whether an answer of slurmrestd says what was asked: its status, then its errors, then the key itself."""

import json
from typing import Any

import msgspec

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable, System
from gateway.sources.slurm.api import Answer

_OK = 200
_NOT_FOUND = 404
_SERVER_ERROR = 500
_REFUSED = {401, 403, 511}
"""24.11 answers 511 where a token is not good."""
_BUSY = {408, 429}
_REFUSED_NUMBERS = {1007, 2002, 9008}
"""Protocol authentication error, Access/permission denied, Authentication failure."""
_UNSPECIFIED = -1
_NO_AUTHENTICATION = b"Authentication does not apply"
"""25.11.0 answers HTTP 500 with this text."""
_NOTHING_THERE = "Zero jobs to dump"
"""The warning of 24.11 and later beside an empty list of jobs."""
_MOST_TEXT = 200


class Envelope(msgspec.Struct):
    """The parts of any answer that are looked at."""

    errors: list[Any] | None = None
    warnings: list[Any] | None = None
    nodes: list[msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    jobs: list[msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    pings: list[msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET


def is_served(answer: Answer) -> bool:
    """Whether slurmrestd knows the address that was asked at all."""
    return answer.status != _NOT_FOUND


def read_list(answer: Answer, key: str) -> list[msgspec.Raw]:
    """The list that was asked for; an empty one only where Slurm says nothing against it."""
    if answer.status != _OK:
        raise _failure(answer)
    envelope = _envelope(answer)
    if envelope.errors:
        raise _said(answer, envelope.errors)
    found = getattr(envelope, key)
    if found is msgspec.UNSET:
        raise SourceMisread(System.SLURM, f"{answer.source}: the answer holds no {key}")
    odd = [text for text in map(_text, envelope.warnings or ()) if text != _NOTHING_THERE]
    if not found and odd:
        raise SourceMisread(System.SLURM, f"{answer.source}: no {key}, with the warning {odd[0]!r}")
    return list(found)


def _envelope(answer: Answer) -> Envelope:
    try:
        return _decode(answer.body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise SourceMisread(System.SLURM, f"{answer.source}: the answer cannot be read: {error}") from error


def _decode(body: bytes) -> Envelope:
    try:
        return msgspec.json.decode(body, type=Envelope)
    except msgspec.DecodeError:
        # v0.0.40 and 41 can write the bare words Infinity and NaN, which are not JSON: they become null.
        return msgspec.json.decode(msgspec.json.encode(json.loads(body)), type=Envelope)


def _failure(answer: Answer) -> SourceError:
    """What an answer that is not 200 means."""
    said = _errors(answer.body)
    if answer.status in _REFUSED or _NO_AUTHENTICATION in answer.body:
        return _refused(answer, _text(said[0]) if said else _excerpt(answer.body))
    if said:
        return _said(answer, said)
    text = f"{answer.source}: HTTP {answer.status} {_excerpt(answer.body)}".rstrip()
    gone = answer.status >= _SERVER_ERROR or answer.status in _BUSY
    return (SourceUnavailable if gone else SourceMisread)(System.SLURM, text)


def _errors(body: bytes) -> list[Any]:
    try:
        return _decode(body).errors or []
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return []


def _said(answer: Answer, errors: list[Any]) -> SourceError:
    """What the errors inside an answer mean."""
    numbers = {_number(error) for error in errors}
    text = "; ".join(map(_text, errors))[:_MOST_TEXT]
    if numbers & _REFUSED_NUMBERS:
        return _refused(answer, text)
    if _UNSPECIFIED in numbers:
        text += (
            " (Slurm 22.05 says this for a slurmctld that is silent and for a token that is not good alike)"
        )
    return SourceUnavailable(System.SLURM, f"{answer.source}: {text}")


def _refused(answer: Answer, text: str) -> SourceRefused:
    return SourceRefused(
        System.SLURM,
        f"{answer.source}: {text}: renew the token, or give one of a user who may see it; "
        "Slurm 22.05 wants a user name beside it",
    )


def _number(error: object) -> int | None:
    """The number of an error, under the name that 22.05 uses now and then too."""
    number = error.get("error_number", error.get("errno")) if isinstance(error, dict) else None
    return number if isinstance(number, int) else None


def _text(said: object) -> str:
    """An error or a warning as one line."""
    if not isinstance(said, dict):
        return str(said)
    parts = (said.get("description"), said.get("error"))
    return ": ".join(str(part) for part in parts if part)


def _excerpt(body: bytes) -> str:
    """The start of a text; JSON without errors in it explains nothing."""
    text = body[:_MOST_TEXT].decode(errors="replace").strip()
    return "" if text.startswith("{") else text
