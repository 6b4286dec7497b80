"""Server-side apply, never forced, for what a manager sends of one object that is there."""

import copy
from collections import defaultdict
from collections.abc import Mapping

from gateway.simulator.ownership import Entry, Manager, Path, entries, leaves, written
from gateway.simulator.status import Declined
from gateway.simulator.store import Json


def applied(before: Json, config: Json, name: str, time: str) -> Json:
    """The object with exactly these fields of the manager; what it owned alone and leaves out now is gone."""
    manager = Manager(name=name, operation="Apply")
    held, asked, there = entries(before), leaves(config), leaves(before)
    others = [entry for entry in held if entry.manager != manager]
    _check(others, asked, there)
    own = next((entry for entry in held if entry.manager == manager), None)
    owned = own.paths if own else frozenset()
    after = copy.deepcopy(before)
    for path in owned - asked.keys():
        if not any(path in entry.paths for entry in others):
            _remove(after, path)
    for path, value in asked.items():
        _set(after, path, value)
    same = own is not None and owned == asked.keys()
    mine = own if same and own else Entry(manager=manager, paths=frozenset(asked), time=time)
    after["metadata"]["managedFields"] = written([mine, *others])
    return after


def _check(others: list[Entry], asked: Mapping[Path, Json], there: Mapping[Path, Json]) -> None:
    conflicts: dict[str, list[str]] = defaultdict(list)
    for entry in others:
        for path in sorted(asked.keys() & entry.paths):
            if there.get(path) != asked[path]:
                conflicts[str(entry.manager)].append("".join(f".{step[2:]}" for step in path))
    if conflicts:
        raise _conflict(conflicts)


def _conflict(conflicts: Mapping[str, list[str]]) -> Declined:
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": field}
        for manager, fields in conflicts.items()
        for field in fields
    ]
    if len(causes) == 1:
        said = f"1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        each = ["\n- ".join((f"conflicts with {who}:", *fields)) for who, fields in conflicts.items()]
        said = f"{len(causes)} conflicts: " + "\n".join(each)
    return Declined(409, f"Apply failed with {said}", details={"causes": causes})


def _set(body: Json, path: Path, value: Json) -> None:
    for step in path[:-1]:
        body = body.setdefault(step[2:], {})
    body[path[-1][2:]] = value


def _remove(body: Json, path: Path) -> None:
    for step in path[:-1]:
        body = body.get(step[2:], {})
    body.pop(path[-1][2:], None)
