"""What an answer lacks beside the answer when all systems speak, by path without list positions."""

from collections.abc import Iterator
from typing import Any, NamedTuple

SELF_TOLD = {
    "unknowns",
    "sources",
    "explanation",
    "terms",
    "atLeast",
    "excluded",
    "excludedCount",
    "gpuChain",
    "why",
}
"""What tells of silence differs, of course."""


class Difference(NamedTuple):
    """One value that is not the same."""

    path: str
    kind: str
    """withheld: null now; missing: a row is gone; added: a row is new; changed: another value."""
    value: Any


def differences(whole: Any, now: Any, path: str = "") -> Iterator[Difference]:
    """Walk both answers; rows are told apart by what names them."""
    if now is None and whole is not None:
        yield Difference(path, "withheld", whole)
    elif isinstance(whole, dict) and isinstance(now, dict):
        for name in whole.keys() - {name for name in SELF_TOLD if now.get(name) is not None}:
            yield from differences(whole[name], now[name], f"{path}.{name}" if path else name)
    elif isinstance(whole, list) and isinstance(now, list):
        yield from _rows(whole, now, path)
    elif whole != now:
        yield Difference(path, "changed", (whole, now))


def _rows(whole: list[Any], now: list[Any], path: str) -> Iterator[Difference]:
    before, after = ({_name(row): row for row in rows} for rows in (whole, now))
    for name, row in before.items():
        if name in after:
            yield from differences(row, after[name], path)
        else:
            yield Difference(path, "missing", name)
    for name in after.keys() - before.keys():
        yield Difference(path, "added", name)


def _name(row: Any) -> Any:
    if not isinstance(row, dict):
        return row
    if "gpuType" in row and "target" in row:
        return (row["gpuType"] or {}).get("name"), row["target"]
    named = row["node"] if "cursor" in row or "fits" in row else row.get("profile") or row
    names = (named.get(key) for key in ("name", "jobId", "resource", "id", "key", "type"))
    return next((name for name in names if name), str(row))
