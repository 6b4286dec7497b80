"""Values as text, in the form in which an input takes them."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum

from gateway.fleet.quantity import write_decimal


def input_form(value: object) -> str | None:
    """A value by itself: words as they are, lists and records as a document writes them; None: nothing."""
    if value is None or isinstance(value, str):
        return value
    return _literal(value)


def _literal(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    entries = _entries(value)
    if entries is not None:
        # What is null in an input may as well be left out.
        told = (f"{key}: {_literal(entry)}" for key, entry in entries.items() if entry is not None)
        return f"{{{', '.join(told)}}}"
    return _scalar(value)


def _entries(value: object) -> Mapping[str, object] | None:
    if isinstance(value, Mapping):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(field.name): getattr(value, field.name) for field in fields(value)}
    return None


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _scalar(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, datetime):
        return json.dumps(value.isoformat().replace("+00:00", "Z"))
    if isinstance(value, Decimal):
        return json.dumps(write_decimal(value))
    return json.dumps(value, ensure_ascii=False)
