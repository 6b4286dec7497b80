"""Who owns which field of an object, as managedFields tell it.

A list counts as one field here, whereas kube-apiserver (1.36.3) tells the entries of some apart.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace

from gateway.simulator.store import Json

Path = tuple[str, ...]

_SERVERS = {
    ("f:metadata", f"f:{name}")
    for name in (
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "uid",
    )
}
"""What no manager owns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """Who writes, and how."""

    name: str
    operation: str = "Update"
    subresource: str = ""

    def __str__(self) -> str:
        """The words of a conflict."""
        return f'"{self.name}"' + (" using v1" if self.operation == "Update" else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one manager owns."""

    manager: Manager
    paths: frozenset[Path]
    time: str


def leaves(body: Json) -> dict[Path, Json]:
    """The value of each field that a manager can own."""
    found = _leaves(body, ())
    return {path: value for path, value in found if path[:2] not in _SERVERS and not _is_frame(path)}


def entries(body: Json) -> list[Entry]:
    """Who owns what of an object."""
    return [_entry(managed) for managed in body["metadata"].get("managedFields") or ()]


def written(held: Iterable[Entry]) -> list[Json]:
    """The managedFields that tell so; who owns nothing is left out."""
    owners = sorted(held, key=lambda entry: astuple(entry.manager))
    return [_managed(entry) for entry in owners if entry.paths]


def updated(held: list[Entry], before: Json, after: Json, manager: Manager, time: str) -> list[Entry]:
    """Who owns what after an update: each field that it changed is its manager's alone."""
    old, new = leaves(before), leaves(after)
    gone = frozenset(old.keys() - new.keys())
    changed = frozenset(path for path, value in new.items() if path not in old or old[path] != value)
    own = next((entry for entry in held if entry.manager == manager), None)
    mine = Entry(manager=manager, paths=(own.paths if own else frozenset()) - gone | changed, time=time)
    others = [replace(it, paths=it.paths - changed - gone) for it in held if it is not own]
    return [mine if changed or own is None else replace(own, paths=own.paths - gone), *others]


def _is_frame(path: Path) -> bool:
    """Whether it is apiVersion or kind, or an empty metadata, spec or status."""
    return len(path) <= 1


def _leaves(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, f"f:{key}"))
    else:
        yield path, value


def _entry(managed: Json) -> Entry:
    manager = Manager(
        name=managed["manager"],
        operation=managed["operation"],
        subresource=managed.get("subresource", ""),
    )
    paths = frozenset(_paths(managed.get("fieldsV1") or {}, ()))
    return Entry(manager=manager, paths=paths, time=managed.get("time", ""))


def _paths(tree: Json, path: Path) -> Iterator[Path]:
    if path and not tree:
        yield path
    for step, inner in tree.items():
        yield from _paths(inner, (*path, step))


def _managed(entry: Entry) -> Json:
    manager = entry.manager
    managed = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": "v1",
        "time": entry.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": _tree(entry.paths),
    }
    return managed | ({"subresource": manager.subresource} if manager.subresource else {})


def _tree(paths: Iterable[Path]) -> Json:
    tree: dict[str, Json] = {}
    for path in sorted(paths):
        at = tree
        for step in path:
            at = at.setdefault(step, {})
    return tree
