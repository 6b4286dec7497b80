"""Creates and changes objects as kube-apiserver does; measured on 1.36.3, and the same tests run on both."""

import copy
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gateway.fleet.clock import Clock, utc_now
from gateway.simulator.applying import applied
from gateway.simulator.kinds import NODES
from gateway.simulator.ownership import Manager, entries, updated, written
from gateway.simulator.status import Declined
from gateway.simulator.store import Collection, Json, Store
from gateway.simulator.validation import check, check_node_config, invalid

Admission: TypeAlias = Callable[[str, Json], str | None]
"""The words in which an operation is refused, as `pods/eviction` on that object; None where it may go on."""

_SERVERS = (
    "uid",
    "name",
    "namespace",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "resourceVersion",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An object's place: its kind, its namespace and its name."""

    collection: Collection
    namespace: str
    name: str

    @property
    def subject(self) -> str:
        """As the server names it: configmaps "c"."""
        resource = self.collection.resource
        return f'{resource.plural}.{resource.group} "{self.name}"'.replace('. "', ' "', 1)

    @property
    def details(self) -> Json:
        """What a Status says it is about."""
        return {"name": self.name, "kind": self.collection.resource.plural}

    def found(self) -> Json:
        """A copy of the object there; Declined where there is none."""
        stored = self.collection.named(f"{self.namespace}/{self.name}")
        if stored is None:
            raise Declined(404, f"{self.subject} not found", details=self.details)
        return copy.deepcopy(stored.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who writes, into which part of the object, and whether only to see what would come of it."""

    manager: str = "unknown"
    subresource: str = ""
    dry_run: bool = False


class Writer:
    """Changes what is in a store, under the rules that the API has for its clients."""

    def __init__(self, store: Store, clock: Clock = utc_now) -> None:
        self.store = store
        self.clock = clock
        self.admission: Admission | None = None

    def create(self, place: Place, body: Json, by: By) -> Json:
        """Take a new object in; its status is what the server begins with."""
        metadata = body.get("metadata") or {}
        if metadata.get("resourceVersion"):
            raise Declined(500, "resourceVersion should not be set on objects to be created")
        if place.collection.named(f"{place.namespace}/{place.name}"):
            raise Declined(
                409, f"{place.subject} already exists", reason="AlreadyExists", details=place.details
            )
        resource = place.collection.resource
        born = {"uid": str(uuid.uuid4()), "creationTimestamp": self.now()}
        where = {"name": place.name} | ({"namespace": place.namespace} if place.namespace else {})
        head = {"apiVersion": resource.api_version, "kind": resource.kind}
        made = {key: value for key, value in body.items() if key != "status"} | head
        made |= {"metadata": metadata | where | born | {"managedFields": []}}
        made |= {"status": {"phase": "Pending"}} if resource.kind == "Pod" else {}
        return self._commit(place, {"metadata": where}, made, by)

    def replace(self, place: Place, body: Json, by: By) -> Json:
        """Put an object in the place of the one that is there."""
        before = place.found()
        asked = body.get("metadata") or {}
        _check_version(place, before, asked)
        uid = before["metadata"].get("uid")
        if asked.get("uid") not in {None, uid}:
            said = f"UID in precondition: {asked['uid']}, UID in object meta: {uid}"
            raise _conflict(place, f"Precondition failed: {said}")
        return self._commit(place, before, copy.deepcopy(body), by)

    def merge(self, place: Place, patch: Json, by: By) -> Json:
        """Merge a patch into an object; null takes a field away."""
        before = place.found()
        _check_patch(place, before, patch.get("metadata") or {})
        return self._commit(place, before, _merged(before, patch), by)

    def apply(self, place: Place, config: Json, by: By) -> Json:
        """Have the manager own exactly these fields of a Node that is there."""
        if place.collection.resource != NODES or by.subresource:
            raise Declined(400, "the simulator knows server-side apply for nodes alone")
        asked = config.get("metadata") or {}
        if place.collection.named(f"/{place.name}") is None:
            if not asked.get("uid"):
                raise Declined(400, "the simulator does not create by server-side apply")
            said = f"uid mismatch: the provided object specified uid {asked['uid']}, and no existing object"
            raise _conflict(place, f"{said} was found")
        check_node_config(config, place.name)
        before = place.found()
        _check_patch(place, before, asked)
        identity = {"name", "uid", "resourceVersion"}
        owned = {key: value for key, value in asked.items() if key not in identity}
        after = applied(before, config | {"metadata": owned}, by.manager, self.now())
        return self.settle(place, before, _normal(after), by)

    def now(self) -> str:
        """The time as objects carry it."""
        return self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")

    def settle(self, place: Place, before: Json, after: Json, by: By) -> Json:
        """Store what came of it, unless nothing changed; what was only kept by a finalizer goes with it."""
        check(place.collection.resource, after)
        self.admit(place, by.subresource, after)
        if by.dry_run or before == after:
            return after
        metadata = after["metadata"]
        if metadata.get("deletionGracePeriodSeconds") == 0 and not metadata.get("finalizers"):
            self.store.delete(place.collection.resource, place.name, place.namespace)
            return after
        self.store.put(after, place.collection.resource)
        return place.found()

    def admit(self, place: Place, subresource: str, body: Json) -> None:
        """Decline what admission refuses."""
        what = f"{place.collection.resource.plural}/{subresource}".rstrip("/")
        words = self.admission(what, body) if self.admission else None
        if words:
            details = place.details | {"causes": [{"message": words}]}
            raise Declined(422, f"{place.subject} is forbidden: {words}", details=details)

    def _commit(self, place: Place, before: Json, after: Json, by: By) -> Json:
        """Settle an update: what the server owns stays, and the manager owns what it changed."""
        kept = {key: before["metadata"][key] for key in _SERVERS if key in before["metadata"]}
        after["metadata"] = (after.get("metadata") or {}) | kept
        if by.subresource == "status":
            after = before | {"status": after.get("status") or {}}
        elif "resourceVersion" in kept:
            after = {key: value for key, value in after.items() if key != "status"}
            after |= {"status": before["status"]} if "status" in before else {}
        after = _normal(after)
        if after == before:
            return self.settle(place, before, before, by)
        manager = Manager(name=by.manager, subresource=by.subresource)
        held = updated(entries(after), before, after, manager, self.now())
        after["metadata"] = after["metadata"] | {"managedFields": written(held)}
        return self.settle(place, before, after, by)


def _merged(target: Json, patch: Json) -> Json:
    """RFC 7396."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), value)
    return merged


def _normal(body: Json) -> Json:
    """The object as the server encodes it: what is empty or false is left out."""
    metadata = {
        key: value
        for key, value in body["metadata"].items()
        if value or key not in {"labels", "annotations", "finalizers"}
    }
    spec = body.get("spec")
    if body.get("kind") == "Node" and spec is not None and not spec.get("unschedulable"):
        spec = {key: value for key, value in spec.items() if key != "unschedulable"}
    return body | {"metadata": metadata} | ({} if spec is None else {"spec": spec})


def _check_patch(place: Place, before: Json, asked: Json) -> None:
    _check_version(place, before, asked)
    if asked.get("uid") not in {None, before["metadata"].get("uid")}:
        said = f'"{asked["uid"]}": field is immutable'
        raise invalid(place.collection.resource, place.name, "metadata.uid", said)


def _check_version(place: Place, before: Json, asked: Json) -> None:
    if asked.get("resourceVersion") not in {None, "", before["metadata"]["resourceVersion"]}:
        changed = "the object has been modified; please apply your changes to the latest version"
        raise _conflict(place, f"{changed} and try again")


def _conflict(place: Place, said: str) -> Declined:
    return Declined(409, f"Operation cannot be fulfilled on {place.subject}: {said}", details=place.details)
