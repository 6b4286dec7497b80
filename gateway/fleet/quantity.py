"""Kubernetes quantities, exact: `13Gi`, `1500m`, `129e6`."""

import re
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal

from gateway.errors import System
from gateway.fleet.unknown import Maybe, Unknown, undetermined

_FORM = re.compile(
    r"(?P<sign>[+-]?)(?P<number>\d*\.?\d*)(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?\d{1,3}))?",
    re.ASCII,
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_NANO = Decimal("1e-9")
_LARGEST_BINARY = Decimal(2**63 - 1)
_LONGEST = 128
_EXACT = Context(prec=1_500)
MOST_ON_A_NODE = 1_024
"""Devices; more is no count of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """An amount of one resource, as its system wrote it and as a number."""

    resource: str
    text: str
    value: Maybe[Decimal]
    """In the resource's base unit (bytes, cores, devices), exactly what the text says."""
    unlimited: bool = False


def read_quantity(text: str) -> Decimal:
    """Read exactly what Kubernetes reads (apimachinery 0.36), or raise ValueError."""
    form = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if form is None or not (form["sign"] or form["number"]):
        raise ValueError(f"{text!r} is not a Kubernetes quantity")
    number = Decimal(form["number"] if form["number"] not in {"", "."} else 0)
    suffix = form["suffix"] or ""
    if suffix in _BINARY:
        size = min(_EXACT.multiply(number, Decimal(_BINARY[suffix])), _LARGEST_BINARY)
    else:
        size = _EXACT.scaleb(number, int(form["exponent"] or _DECIMAL[suffix]))
    size = size.quantize(_NANO, rounding=ROUND_UP, context=_EXACT)
    return -size if form["sign"] == "-" and size else size


def write_decimal(value: Decimal) -> str:
    """Write a number without exponent and without trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity(resource: str, text: str, system: System) -> Quantity:
    """Read one amount; what cannot be read keeps its text and says so."""
    value: Decimal | Unknown
    try:
        value = read_quantity(text)
    except ValueError as problem:
        value = undetermined(system, f"{resource}: {problem}")
    return Quantity(resource=resource, text=text, value=value)


def device_count(amount: Quantity, system: System) -> int | Unknown:
    """Read a count of devices on one node: a whole number from 0 to 1,024."""
    count = whole_number(amount, system)
    if isinstance(count, int) and count > MOST_ON_A_NODE:
        return undetermined(system, f"{amount.resource}: {amount.text!r} is no count of devices on a node")
    return count


def whole_number(amount: Quantity, system: System) -> int | Unknown:
    """Read a count of anything: a whole number, 0 or more."""
    value = amount.value
    if isinstance(value, Decimal):
        if value == value.to_integral_value() and value >= 0:
            return int(value)
        return undetermined(system, f"{amount.resource}: {amount.text!r} is no count of devices")
    return value or undetermined(system, f"{amount.resource}: no amount")
