"""Asks a cluster's API server whether the controllers may do their part there, and does nothing of it."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from gateway.errors import SourceError, SourceMisread, System
from gateway.fleet.live import Effect
from gateway.sources.kubernetes.api import Api, Request
from gateway.sources.kubernetes.configurations import CONFIG_MAP
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.effects import read_status
from gateway.sources.kubernetes.election import LEASE
from gateway.sources.kubernetes.failures import refusal, translated
from gateway.sources.kubernetes.live import LiveApi
from gateway.sources.trial import Outcome, Trial, failed, fine

_SECONDS = 4.0
_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_LEASES = "coordination.k8s.io"


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """Something that the controllers do."""

    verb: str
    resource: str
    group: str = ""
    namespace: str = ""
    """Empty: in all, or of no namespace."""
    name: str = ""
    """Empty: whatever it is called."""

    @property
    def what(self) -> str:
        """As kubectl names it: update leases.coordination.k8s.io gpu-gateway-controllers in gpu-gateway."""
        resource = f"{self.resource}.{self.group}" if self.group else self.resource
        name = f" {self.name}" if self.name else ""
        return f"{self.verb} {resource}{name}" + (f" in {self.namespace}" if self.namespace else "")

    @property
    def rule(self) -> str:
        """The rule of a Role that allows it."""
        names = f", resourceNames: [{self.name}]" if self.name else ""
        return f'{{apiGroups: ["{self.group}"], resources: [{self.resource}]{names}, verbs: [{self.verb}]}}'


def rights_of_controllers(lease_namespace: str, operator_namespace: str) -> tuple[Right, ...]:
    """What they do beside what every part of the gateway reads."""
    lease = {"resource": "leases", "group": _LEASES, "namespace": lease_namespace}
    layouts = {"resource": "configmaps", "namespace": operator_namespace}
    return (
        Right(verb="get", resource="nodes"),
        Right(verb="patch", resource="nodes"),
        Right(verb="create", resource="pods/eviction"),
        Right(verb="delete", resource="pods", namespace=operator_namespace),
        Right(verb="create", **layouts),
        *(Right(verb=verb, **layouts, name=CONFIG_MAP) for verb in ("get", "update")),
        Right(verb="create", **lease),
        *(Right(verb=verb, **lease, name=LEASE) for verb in ("get", "update")),
    )


async def probe_rights(
    api: Api, lease_namespace: str, operator_namespace: str
) -> AsyncGenerator[Trial, None]:
    """Ask for each right, and try whether the Lease could be made where it is to be."""
    rights = rights_of_controllers(lease_namespace, operator_namespace)
    for trial in await asyncio.gather(*(_ask(api, right) for right in rights)):
        yield trial
    yield await _try_namespace(api, lease_namespace)


class _Status(msgspec.Struct):
    allowed: bool


class _Review(msgspec.Struct):
    status: _Status


async def _ask(api: Api, right: Right) -> Trial:
    resource, _, subresource = right.resource.partition("/")
    attributes = {
        "verb": right.verb,
        "group": right.group,
        "resource": resource,
        "subresource": subresource,
        "namespace": right.namespace,
        "name": right.name,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    try:
        is_allowed = await _reviewed(api, body)
    except SourceError as error:
        return failed(right.what, error)
    if is_allowed:
        return fine(right.what, "allowed")
    where = f"a Role in {right.namespace}" if right.namespace else "a ClusterRole"
    fix = f"allow {right.rule} in {where} that is bound to it"
    return Trial(what=right.what, outcome=Outcome.FAILED, said="not allowed", fix=fix)


async def _reviewed(api: Api, body: object) -> bool:
    where = f"cluster {api.cluster}: {_REVIEWS}"
    with translated(api.cluster):
        async with asyncio.timeout(_SECONDS):
            reply = await api.exchange(Request(method="POST", path=_REVIEWS, body=body))
    if reply.status != HTTPStatus.CREATED:
        raise refusal(reply.status, f"{where}: {reply.status} {read_status(reply).message}")
    try:
        return msgspec.json.decode(reply.body, type=_Review).status.allowed
    except UNREADABLE as error:
        raise SourceMisread(System.KUBERNETES, f"{where}: {error}") from error


async def _try_namespace(api: Api, namespace: str) -> Trial:
    """Whether a Lease could be made there: who may not make one is told so with the rights."""
    what = f"namespace {namespace}"
    lease = {"apiVersion": f"{_LEASES}/v1", "kind": "Lease", "metadata": {"name": LEASE}}
    path = f"/apis/{_LEASES}/v1/namespaces/{namespace}/leases"
    request = Request(method="POST", path=path, query=[("dryRun", "All")], body=lease)
    try:
        result = await LiveApi(api, lambda: _SECONDS).write(request)
    except SourceError as error:
        return failed(what, error)
    if result.effect is Effect.GONE:
        fix = f"kubectl create namespace {namespace}, or set controllers.lease_namespace"
        return Trial(what=what, outcome=Outcome.FAILED, said=result.message, fix=fix)
    return fine(what, "is there" if result.effect is not Effect.REFUSED else result.message)
