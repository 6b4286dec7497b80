"""What access rules grant an account, one right each, and which of its requests needed which."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """One verb on one resource; None: in every namespace, or whatever its name."""

    verb: str
    group: str
    resource: str
    namespace: str | None
    name: str | None

    def covers(self, request: dict[str, Any]) -> bool:
        """Whether it allows a request that an API server audited."""
        asked = request["objectRef"]
        resource = "/".join(filter(None, (asked["resource"], asked.get("subresource"))))
        return (
            (self.verb, self.group, self.resource) == (request["verb"], asked.get("apiGroup", ""), resource)
            and self.namespace in {None, asked.get("namespace")}
            and self.name in {None, asked.get("name")}
        )


def rights_of(account: str, objects: Sequence[dict[str, Any]]) -> list[Right]:
    """Every right that the roles among these objects give an account."""
    roles = {_key(one): one for one in objects if one["kind"] in {"Role", "ClusterRole"}}
    return [
        right
        for binding in objects
        if any(subject["name"] == account for subject in binding.get("subjects", ()))
        for right in _rights(roles[_role(binding)], binding["metadata"].get("namespace"))
    ]


def superfluous(rights: Sequence[Right], requests: Iterable[dict[str, Any]]) -> list[Right]:
    """Rights without which each of the requests would have been allowed all the same."""
    covering = ([right for right in rights if right.covers(one)] for one in requests)
    needed = {right for (right,) in (found for found in covering if len(found) == 1)}
    return [right for right in rights if right not in needed]


def _key(role: dict[str, Any]) -> tuple[str, str, str | None]:
    return role["kind"], role["metadata"]["name"], role["metadata"].get("namespace")


def _role(binding: dict[str, Any]) -> tuple[str, str, str | None]:
    reference = binding["roleRef"]
    namespace = binding["metadata"].get("namespace") if reference["kind"] == "Role" else None
    return reference["kind"], reference["name"], namespace


def _rights(role: dict[str, Any], namespace: str | None) -> Iterator[Right]:
    for rule in role["rules"]:
        named = rule.get("resourceNames", [None])
        for verb, group, resource, name in product(
            rule["verbs"], rule["apiGroups"], rule["resources"], named
        ):
            yield Right(verb=verb, group=group, resource=resource, namespace=namespace, name=name)
