"""What list and watch answer, one object at a time: one that cannot be read is named, the others go on."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from gateway.errors import SourceMisread, System
from gateway.sources.kubernetes.decoding import UNREADABLE, decode_text
from gateway.sources.sync import Item, Problem

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[R]):
    """A kind of objects, and how one of them is read."""

    path: str
    """Where its list is: /api/v1/nodes."""
    read: Callable[[msgspec.Raw, list[Problem]], R | None]
    """Read one object, and tell what could not be read in it; None where it is of no interest.

    Raises where nothing can be read.
    """
    namespaced: bool = False
    optional: bool = False
    """Whether a cluster may well not serve it."""

    @property
    def plural(self) -> str:
        """The last word of the path."""
        return self.path.rpartition("/")[2]


class _Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    version: str = msgspec.field(name="resourceVersion", default="")


class Head(msgspec.Struct):
    """What every object says of itself."""

    metadata: _Metadata

    def key(self, *, namespaced: bool) -> Hashable:
        """The key of its row; None where it has no name."""
        if not self.metadata.name:
            return None
        return (self.metadata.namespace, self.metadata.name) if namespaced else self.metadata.name


class _PageMetadata(msgspec.Struct):
    version: str = msgspec.field(name="resourceVersion")
    token: str = msgspec.field(name="continue", default="")


class Page(msgspec.Struct):
    """A list, or a part of it."""

    metadata: _PageMetadata
    items: list[msgspec.Raw]


class Event(msgspec.Struct):
    """A line of a watch."""

    type: str
    object: msgspec.Raw


class Failure(msgspec.Struct):
    """What an ERROR event carries."""

    code: int = 500
    message: str = ""


_PAGE = msgspec.json.Decoder(Page)
_EVENT = msgspec.json.Decoder(Event)
_HEAD = msgspec.json.Decoder(Head)
_FAILURE = msgspec.json.Decoder(Failure)


def read_page(body: bytes, where: str) -> Page:
    """Read a list; an answer that is none is never taken for an empty one."""
    try:
        page = decode_text(_PAGE, body)
    except UNREADABLE as error:
        raise SourceMisread(System.KUBERNETES, f"{where}: the answer is no list: {error}") from error
    if not page.metadata.version:
        raise SourceMisread(System.KUBERNETES, f"{where}: the list has no resourceVersion")
    return page


def read_event(line: bytes, where: str) -> Event:
    """Read a line of a watch."""
    try:
        return decode_text(_EVENT, line)
    except UNREADABLE as error:
        raise SourceMisread(System.KUBERNETES, f"{where}: a line is no event: {error}") from error


def read_failure(raw: msgspec.Raw) -> Failure:
    """Read what an ERROR event carries."""
    try:
        return _FAILURE.decode(raw)
    except UNREADABLE:
        return Failure(message="an ERROR without a Status")


def read_head(raw: msgspec.Raw) -> Head:
    """Read an object's name and version; nameless where they cannot be read."""
    try:
        return _HEAD.decode(raw)
    except UNREADABLE:
        return Head(metadata=_Metadata())


def read_item(kind: Kind[R], raw: msgspec.Raw, key: Hashable, subject: str) -> Item[R]:
    """Read one object."""
    problems: list[Problem] = []
    try:
        record = kind.read(raw, problems)
    except UNREADABLE as error:
        text = bytes(raw)[:_MOST_RAW].decode(errors="replace")
        problem = Problem(path="", raw=text, text=str(error))
        return Item(key=key, subject=subject, record=None, problems=(problem,))
    return Item(key=key, subject=subject, record=record, problems=tuple(problems))


_MOST_RAW = 200


def subject(kind: Kind[R], head: Head) -> str:
    """An object as people name it: pods/vision/train-0."""
    return "/".join(part for part in (kind.plural, head.metadata.namespace, head.metadata.name) if part)
