"""Reads a message that says why work waits; text that was never seen is kept as OTHER."""

import re

from gateway.fleet.reasons.gangs import read_gang
from gateway.fleet.reasons.nodes import read_nodes
from gateway.fleet.reasons.reason import ParsedReason, PendingCode, PendingPart
from gateway.fleet.reasons.sentences import read_sentence

_COMBINED = re.compile(r"^\(combined from similar events\): ")
"""Put in front by the recorder of core/v1 events, after ten similar ones."""


def read_message(text: str) -> ParsedReason:
    """Read what a condition or an event says."""
    said = _COMBINED.sub("", text.strip())
    return read_nodes(said) or read_gang(said) or read_sentence(said) or _other(said)


def _other(text: str) -> ParsedReason:
    whole = PendingPart(nodes=0, code=PendingCode.OTHER, text=text)
    return ParsedReason(code=PendingCode.OTHER, total_nodes=None, parts=(whole,))
