"""The Kubernetes objects of a bundle: the kinds that were recorded, and each object as it stands there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gateway.simulator.documents import YAML_SUFFIXES, Document, Problem, Unreadable, documents
from gateway.simulator.kinds import Resource, resource_named
from gateway.simulator.store import Json, Store

SUFFIXES = (".json", *YAML_SUFFIXES)


class _Unplaced(Exception):
    """What a document holds cannot be served: nothing says what it is."""


@dataclass(slots=True, kw_only=True)
class RecordedObjects:
    """What the files of one cluster hold."""

    root: Path
    """The bundle's directory: problems name files below it."""
    store: Store = field(default_factory=Store)
    problems: list[Problem] = field(default_factory=list)
    kinds: int = 0
    """How many listings and single objects could be read."""

    def read(self, file: Path) -> None:
        """Take in one file."""
        name = file.relative_to(self.root).as_posix()
        for found in documents(file):
            if isinstance(found, Unreadable):
                self._note(name, found.path, found.problem)
            else:
                self._take(name, found, resource_named(file.stem))

    def _note(self, file: str, path: str, problem: str) -> None:
        self.problems.append(Problem(file=file, path=path, problem=problem))

    def _take(self, file: str, document: Document, by_name: Resource | None) -> None:
        try:
            listing = _listing(document.value, by_name)
        except _Unplaced as unplaced:
            self._note(file, document.path, str(unplaced))
            return
        self.kinds += 1
        if listing is not None:
            self.store.serve(listing)
        for path, body in _objects(document.value):
            self._put(file, f"{document.path} {path}".strip(), body, listing or by_name)

    def _put(self, file: str, path: str, body: Json, resource: Resource | None) -> None:
        own = _resource(body) or resource
        if own is None:
            self._note(file, path, "has no apiVersion and kind")
            return
        if isinstance(body, Mapping):
            body = {"apiVersion": own.api_version, "kind": own.kind, **body}
        self.store.put(body, own)


def _listing(value: Json, by_name: Resource | None) -> Resource | None:
    """The kind that a list says, or that the file's name says of an empty one; None where the items do."""
    if not isinstance(value, Mapping):
        raise _Unplaced("is not a Kubernetes object")
    if value.get("kind") == "Status":
        raise _Unplaced(f"is a failure and not a listing: {value.get('message')}")
    if "items" not in value:
        if _resource(value) is None and by_name is None:
            raise _Unplaced("has no apiVersion and kind")
        return None
    if not isinstance(value["items"], list | None):
        raise _Unplaced("items is not a list")
    return _kind_of_list(value, by_name)


def _kind_of_list(value: Mapping[str, Json], by_name: Resource | None) -> Resource | None:
    own = _resource(value)
    if own is not None and own.kind != "List":
        return Resource(api_version=own.api_version, kind=own.kind.removesuffix("List"))
    if not value["items"] and by_name is None:
        raise _Unplaced("is an empty List that does not say its kind: name the file for it, as pods.json")
    return None if value["items"] else by_name


def _objects(value: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    if "items" not in value:
        yield "", value
    for position, body in enumerate(value.get("items") or []):
        yield f"items[{position}]", body


def _resource(value: Json) -> Resource | None:
    if not isinstance(value, Mapping):
        return None
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str) and api_version and kind):
        return None
    return Resource(api_version=api_version, kind=kind)
