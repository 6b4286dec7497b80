"""Lists in pages.

Measured on kube-apiserver 1.36.3: all pages of a list show one revision, and a token that is too old is
HTTP 410 with a token that goes on from another snapshot.
"""

import base64
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from gateway.simulator.store import Collection, Expired, Stored

_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. "
    "Start a new list without it, or go on with the one given here to get the rest of an inconsistent list."
)


class TokenExpired(Exception):
    """The snapshot that a token goes on from is no longer kept."""

    def __init__(self, fresh: str) -> None:
        super().__init__(_TOO_OLD)
        self.fresh = fresh
        """A token for the same place in what is there now."""


class TokenMisread(Exception):
    """What was given is no token of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some objects of one snapshot."""

    objects: Sequence[Stored]
    revision: int
    token: str = ""
    remaining: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which objects a list is about."""

    namespace: str = ""
    """Empty: all of them."""
    selected: Callable[[Stored], bool] | None = None
    """None: all of them."""

    def among(self, objects: Sequence[Stored]) -> Sequence[Stored]:
        """Those of the objects, and the very same where all of them are."""
        if self.namespace:
            objects = [stored for stored in objects if stored.namespace == self.namespace]
        return objects if self.selected is None else list(filter(self.selected, objects))


def page(collection: Collection, revision: int, wanted: Wanted, *, limit: int, token: str) -> Page:
    """The first objects of what is there, or the next ones of the snapshot that the token names."""
    at, start = _read(token) if token else (revision, "")
    objects = _kept(collection, at, start) if token and at > 0 else collection.snapshot()
    at = at if at > 0 else revision
    rest = wanted.among(objects[bisect_right(objects, start, key=attrgetter("key")) :])
    if not 0 < limit < len(rest):
        return Page(objects=rest, revision=at)
    if not token or at == revision:
        collection.keep(at)
    shown = rest[:limit]
    return Page(objects=shown, revision=at, token=_write(at, shown[-1].key), remaining=len(rest) - limit)


def _kept(collection: Collection, revision: int, start: str) -> Sequence[Stored]:
    try:
        return collection.kept(revision)
    except Expired as expired:
        raise TokenExpired(_write(-1, start)) from expired


def _write(revision: int, start: str) -> str:
    return (
        base64.urlsafe_b64encode(json.dumps({"rv": revision, "start": start}).encode()).decode().rstrip("=")
    )


def _read(token: str) -> tuple[int, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(content["rv"]), str(content["start"])
    except (ValueError, KeyError, TypeError) as error:
        raise TokenMisread(f"continue key is not valid: {error}") from error
