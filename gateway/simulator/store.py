"""An in-memory store of raw Kubernetes objects, with revisions and a bounded history as etcd has."""

import asyncio
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.simulator.kinds import Resource

Json = Any

_HISTORY = 1000
_SNAPSHOTS = 16


class Expired(Exception):
    """A version is asked for that is no longer kept."""

    def __init__(self, asked: int, oldest: int) -> None:
        super().__init__(f"too old resource version: {asked} ({oldest})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One object as it is sent."""

    namespace: str
    key: str
    """Namespace and name; what an object without a name is kept under sorts last."""
    body: Json
    text: bytes
    """The object as JSON, as a watch and a get show it."""
    item: bytes
    """The object as JSON, as a list shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One event of the history."""

    revision: int
    namespace: str
    line: bytes
    """What a watch sends for it, its newline included."""


def encode(value: Json) -> bytes:
    """JSON on one line."""
    return json.dumps(value, separators=(",", ":")).encode()


class Collection:
    """The objects of one resource, and what happened to them lately."""

    def __init__(self, resource: Resource, *, revision: int, history: int) -> None:
        self.resource = resource
        self.changed = asyncio.Event()
        """Set at the next change; each change brings a fresh one."""
        self._objects: dict[str, Stored] = {}
        self._history: deque[Change] = deque(maxlen=history)
        self._floor = revision
        self._kept: dict[int, tuple[Stored, ...]] = {}
        self._sorted: tuple[Stored, ...] | None = ()

    def named(self, key: str) -> Stored | None:
        """The object of that key."""
        return self._objects.get(key)

    def snapshot(self) -> tuple[Stored, ...]:
        """All objects in the order of their keys."""
        if self._sorted is None:
            self._sorted = tuple(self._objects[key] for key in sorted(self._objects))
        return self._sorted

    def keep(self, revision: int) -> None:
        """Remember what is there now, for the further pages of a list."""
        self._kept[revision] = self.snapshot()
        while len(self._kept) > _SNAPSHOTS:
            del self._kept[next(iter(self._kept))]

    def kept(self, revision: int) -> tuple[Stored, ...]:
        """What was there at a revision whose list has further pages."""
        if revision not in self._kept:
            raise Expired(revision, self._floor)
        return self._kept[revision]

    def since(self, revision: int) -> list[Change]:
        """What happened after that revision."""
        if revision < self._floor:
            raise Expired(revision, self._floor)
        newest_first = iter(reversed(self._history))
        return list(_until(newest_first, revision))[::-1]

    def forget(self, revision: int) -> None:
        """Answer nothing that is asked from before this revision."""
        self._history.clear()
        self._kept.clear()
        self._floor = revision
        self._wake()

    def replace(self, change: str, stored: Stored, revision: int) -> None:
        """Take an object in, or out where the change is DELETED, and tell who watches."""
        if change == "DELETED":
            del self._objects[stored.key]
        else:
            self._objects[stored.key] = stored
        self._sorted = None
        if len(self._history) == self._history.maxlen:
            self._floor = self._history[0].revision
        line = b'{"type":"%s","object":%s}\n' % (change.encode(), stored.text)
        self._history.append(Change(revision=revision, namespace=stored.namespace, line=line))
        self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


def _until(newest_first: Iterator[Change], revision: int) -> Iterator[Change]:
    for change in newest_first:
        if change.revision <= revision:
            return
        yield change


class Store:
    """The objects of one cluster: every kind that it serves, under one counter of revisions."""

    def __init__(
        self, objects: Iterable[Json] = (), *, serves: Iterable[Resource] = (), history: int = _HISTORY
    ) -> None:
        self.revision = 1
        self._history = history
        self._collections: dict[tuple[str, str], Collection] = {}
        for resource in serves:
            self.serve(resource)
        for body in objects:
            self.put(body)

    def serve(self, resource: Resource) -> Collection:
        """Serve this kind from now on, with nothing in it if it is new."""
        key = (resource.api_version, resource.plural)
        if key not in self._collections:
            fresh = Collection(resource, revision=self.revision, history=self._history)
            self._collections[key] = fresh
        return self._collections[key]

    def collection(self, api_version: str, plural: str) -> Collection | None:
        """The kind of that URL, where it is served."""
        return self._collections.get((api_version, plural))

    def serves_group(self, api_version: str) -> bool:
        """Whether anything of this group and version is served."""
        return any(served == api_version for served, _ in self._collections)

    def put(self, body: Json, resource: Resource | None = None) -> None:
        """Create or replace an object; one that is malformed is kept as it is, under the resource given."""
        resource = resource or Resource(api_version=body["apiVersion"], kind=body["kind"])
        collection = self.serve(resource)
        self.revision += 1
        stored = _stored(body, resource, self.revision)
        change = "MODIFIED" if collection.named(stored.key) else "ADDED"
        collection.replace(change, stored, self.revision)

    def delete(self, resource: Resource, name: str, namespace: str = "") -> None:
        """Remove an object; the event shows its last state under the revision of the removal."""
        collection = self.serve(resource)
        stored = collection.named(f"{namespace}/{name}")
        if stored is None:
            raise KeyError(f"{resource.plural} {namespace}/{name} is not there")
        self.revision += 1
        collection.replace("DELETED", _stored(stored.body, resource, self.revision), self.revision)

    def expire_history(self) -> None:
        """Make every version handed out so far too old, as a restart does; open watches end with 410."""
        self.revision += 1
        for collection in self._collections.values():
            collection.forget(self.revision)


def _stored(body: Json, resource: Resource, revision: int) -> Stored:
    metadata = body.get("metadata") if isinstance(body, Mapping) else None
    if not isinstance(metadata, Mapping):
        metadata = {}
    else:
        body = {**body, "metadata": {**metadata, "resourceVersion": str(revision)}}
    name, namespace = metadata.get("name"), metadata.get("namespace") or ""
    text = encode(body)
    bare = isinstance(body, Mapping) and resource.builtin
    item = encode({k: v for k, v in body.items() if k not in {"kind", "apiVersion"}}) if bare else text
    key = f"{namespace}/{name}" if isinstance(name, str) else f"\uffff{revision}"
    return Stored(namespace=str(namespace), key=key, body=body, text=text, item=item)
