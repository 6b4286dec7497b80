"""What kube-apiserver (1.36.3) turns down in an object, as far as the gateway writes it."""

import re

from gateway.simulator.kinds import Resource
from gateway.simulator.status import Declined
from gateway.simulator.store import Json

_LABEL = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_LONGEST_LABEL = 63
_MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)")
_NODE = {"apiVersion", "kind", "metadata", "spec", "status"}
_NODE_SPEC = {
    "configSource",
    "externalID",
    "podCIDR",
    "podCIDRs",
    "providerID",
    "taints",
    "unschedulable",
}


def check(resource: Resource, body: Json) -> None:
    """Raise what the server would say of an object that it will not store."""
    for value in (body["metadata"].get("labels") or {}).values():
        if len(value) > _LONGEST_LABEL or not _LABEL.fullmatch(value):
            said = f"{value!r}: a valid label must be an empty string or consist of alphanumeric characters"
            raise invalid(resource, body["metadata"]["name"], "metadata.labels", said.replace("'", '"'))
    if resource.kind == "Lease":
        _check_lease(resource, body)


def _check_lease(resource: Resource, body: Json) -> None:
    spec = body.get("spec") or {}
    for key in ("acquireTime", "renewTime"):
        if spec.get(key) is not None and not _MICRO_TIME.fullmatch(spec[key]):
            said = f'parsing time "{spec[key]}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse'
            raise Declined(400, f'Lease in version "v1" cannot be handled as a Lease: {said}')
    if (spec.get("leaseDurationSeconds") or 1) <= 0 or spec.get("leaseDurationSeconds") == 0:
        name = body["metadata"]["name"]
        raise invalid(resource, name, "spec.leaseDurationSeconds", "0: must be greater than 0")


def check_node_config(config: Json, name: str) -> None:
    """Raise for a field of an applied Node that its schema does not have."""
    unknown = [f".{key}" for key in config.keys() - _NODE]
    unknown += [f".spec.{key}" for key in (config.get("spec") or {}).keys() - _NODE_SPEC]
    if unknown:
        at = f"/{name}; /v1, Kind=Node"
        said = f"failed to create typed patch object ({at}): {unknown[0]}: field not declared in schema"
        raise Declined(500, said)


def invalid(resource: Resource, name: str, field: str, said: str) -> Declined:
    """What the server says of a value that it does not take."""
    qualified = f"{resource.kind}.{resource.group}".rstrip(".")
    cause = {"reason": "FieldValueInvalid", "message": f"Invalid value: {said}", "field": field}
    details = {"name": name, "kind": resource.kind, "causes": [cause]}
    message = f'{qualified} "{name}" is invalid: {field}: Invalid value: {said}'
    return Declined(422, message, details=details)
