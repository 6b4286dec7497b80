"""Recorded and written objects as readers get them."""

import json
from pathlib import Path

import msgspec

RECORDINGS = Path(__file__).parents[2] / "recordings"


def read(kind, body):
    """What a kind reads in an object, and the problems it tells."""
    problems = []
    return kind.read(msgspec.Raw(json.dumps(body).encode()), problems), problems


def recorded(kind, path):
    """Every object of a recorded list, in whose reading nothing may be odd."""
    records = []
    for body in json.loads((RECORDINGS / path).read_text())["items"]:
        record, problems = read(kind, body)
        assert not problems
        records.append(record)
    return records


def texts(amounts):
    """Amounts as they are written, by resource."""
    return {amount.resource: amount.text for amount in amounts}
