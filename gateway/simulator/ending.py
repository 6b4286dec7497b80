"""Deletes and evicts as kube-apiserver (1.36.3) does: a pod that runs goes once its kubelet says so."""

from collections.abc import Iterator
from datetime import timedelta

from gateway.simulator.kinds import Resource
from gateway.simulator.status import Declined
from gateway.simulator.store import Json
from gateway.simulator.writing import By, Place, Writer

_BUDGETS = Resource(api_version="policy/v1", kind="PodDisruptionBudget")
_GRACE_SECONDS = 30
_ENDED = {"Succeeded", "Failed"}


def delete(writer: Writer, place: Place, options: Json, *, dry_run: bool = False) -> Json:
    """Ask for the end of an object: gone at once, or marked for as long as somebody keeps it."""
    before = place.found()
    _check_uid(place, before, options)
    metadata, grace = before["metadata"], _grace(before, options)
    left = metadata.get("deletionGracePeriodSeconds")
    if left is not None and left <= grace:
        return before
    end = writer.clock() + timedelta(seconds=grace)
    marked = {
        "deletionTimestamp": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "deletionGracePeriodSeconds": grace,
    }
    return writer.settle(place, before, before | {"metadata": metadata | marked}, By(dry_run=dry_run))


def evict(writer: Writer, pod: Place, eviction: Json) -> Json:
    """Ask for the end of a pod, as far as disruption budgets allow it."""
    options = eviction.get("deleteOptions") or {}
    before, dry_run = pod.found(), bool(options.get("dryRun"))
    writer.admit(pod, "eviction", before)
    _check_uid(pod, before, options)
    if before["status"].get("phase") == "Running" and not before["metadata"].get("deletionTimestamp"):
        _take_from_budget(writer, pod, before, dry_run=dry_run)
    delete(writer, pod, options, dry_run=dry_run)
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def _grace(body: Json, options: Json) -> int:
    spec = body.get("spec") or {}
    ended = (body.get("status") or {}).get("phase") in _ENDED
    if body["kind"] != "Pod" or not spec.get("nodeName") or ended:
        return 0
    default = spec.get("terminationGracePeriodSeconds", _GRACE_SECONDS)
    return int(options.get("gracePeriodSeconds", default))


def _check_uid(place: Place, body: Json, options: Json) -> None:
    asked, uid = (options.get("preconditions") or {}).get("uid"), body["metadata"].get("uid")
    if asked not in {None, uid}:
        kind = body["kind"]
        said = f"the UID in the precondition ({asked}) does not match the UID in record ({uid})"
        again = "The object might have been deleted and then recreated"
        message = f'Operation cannot be fulfilled on {kind} "{place.name}": {said}. {again}'
        raise Declined(409, message, details={"name": place.name, "kind": kind})


def _take_from_budget(writer: Writer, pod: Place, body: Json, *, dry_run: bool) -> None:
    found = list(_budgets(writer, pod.namespace, body))
    if not found:
        return
    if len(found) > 1:
        words = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not"
        raise Declined(500, f"{words} support.")
    budget = found[0].found()
    _check_budget(budget)
    allowed = budget["status"]["disruptionsAllowed"] - 1
    status = budget["status"] | {"disruptionsAllowed": allowed}
    by = By(manager="kube-apiserver", subresource="status", dry_run=dry_run)
    writer.merge(found[0], {"status": status}, by)


def _check_budget(budget: Json) -> None:
    name, status = budget["metadata"]["name"], budget.get("status") or {}
    if "disruptionsAllowed" not in status:
        raise _exhausted(f"The disruption budget {name} is still being processed by the server.")
    if status["disruptionsAllowed"] <= 0:
        needs, has = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
        raise _exhausted(f"The disruption budget {name} needs {needs} healthy pods and has {has} currently")


def _exhausted(words: str) -> Declined:
    message = "Cannot evict pod as it would violate the pod's disruption budget."
    return Declined(429, message, details={"causes": [{"reason": "DisruptionBudget", "message": words}]})


def _budgets(writer: Writer, namespace: str, pod: Json) -> Iterator[Place]:
    collection = writer.store.serve(_BUDGETS)
    labels = pod["metadata"].get("labels") or {}
    for stored in collection.snapshot():
        selector = stored.body["spec"].get("selector") or {}
        if "matchExpressions" in selector:
            raise Declined(400, "the simulator does not know matchExpressions of a disruption budget")
        if stored.namespace == namespace and (selector.get("matchLabels") or {}).items() <= labels.items():
            yield Place(collection=collection, namespace=namespace, name=stored.body["metadata"]["name"])
