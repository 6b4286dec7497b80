"""What a message says of work that waits, read once however often it is said."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from gateway.fleet.reasons.key import reason_key
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import ParsedReason, PendingPart

_MOST_TEXT = 8192
_CUT = " ..."


class Heard(NamedTuple):
    """A message, and what it says."""

    message: str
    reason: ParsedReason
    said: bytes
    """SHA-256 of the reason without what changes from attempt to attempt."""


def hear(message: str) -> Heard:
    """Read a message, or as much of it as is kept."""
    return _heard(shortened(message))


def shortened(message: str) -> str:
    """As much of a message as is kept: whoever may write events may write a megabyte into one."""
    return message if len(message) <= _MOST_TEXT else message[:_MOST_TEXT] + _CUT


@lru_cache(maxsize=16_384)
def _heard(message: str) -> Heard:
    text = message.replace("\x00", "\ufffd")  # Kubernetes lets a message hold a NUL; Postgres does not
    reason = read_message(text)
    said = sha256(reason_key(reason).encode(errors="replace")).digest()
    return Heard(message=text, reason=replace(reason, parts=tuple(_as_many(reason.parts))), said=said)


def _as_many(parts: Iterable[PendingPart]) -> Iterator[PendingPart]:
    """As many as are kept: each part of a sentence has all of its text, so a long one is not kept often."""
    length = 0
    for part in parts:
        length += len(part.text)
        if length > 8 * _MOST_TEXT:
            return
        yield part
