"""Tries once what a cluster's API server lets the gateway read, and names the rules that are missing."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

import aiohttp
import msgspec

from gateway.errors import SourceError, SourceMisread, System
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.failures import Forbidden, NotServed
from gateway.sources.kubernetes.version import read_version
from gateway.sources.trial import Outcome, Trial, failed, fine

_SECONDS = 4.0
"""For one answer: a cluster has two after another, or a few more, within ten."""
_CERTIFICATE = (
    "name the authority that signed it (ca_file, or the kubeconfig's), and use a name that is in it"
)
_CREDENTIALS = "renew the token (token_file), or the user of the kubeconfig"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Something that the gateway reads of a cluster."""

    path: str
    verbs: Sequence[str] = ("list", "watch")
    loss: str | None = None
    """What stays unknown without; None: whole fields are errors without."""
    optional: bool = False
    """Many clusters do not have it."""

    @property
    def what(self) -> str:
        """As kubectl names it: list and watch podgroups.scheduling.volcano.sh."""
        resource = f"{self._name}.{self._group}" if self._group else self._name
        where = f" in {self._parts[1]}" if len(self._parts) > 1 else ""
        return f"{' and '.join(self.verbs)} {resource}{where}"

    @property
    def rule(self) -> str:
        """The rule of a Role that allows it."""
        return (
            f'{{apiGroups: ["{self._group}"], resources: [{self._name}], verbs: [{", ".join(self.verbs)}]}}'
        )

    @property
    def _group(self) -> str:
        return self.path.split("/")[2] if self.path.startswith("/apis/") else ""

    @property
    def _name(self) -> str:
        return self._parts[2] if len(self._parts) > 1 else self._parts[0]

    @property
    def _parts(self) -> list[str]:
        """What follows the version: a resource; or namespaces, one of them, a resource and a name."""
        return self.path.split("/")[4 if self._group else 3 :]


READINGS = (
    Reading(path="/api/v1/nodes"),
    Reading(path="/api/v1/pods"),
    Reading(
        path="/apis/resource.k8s.io/v1/resourceslices",
        loss="the devices that drivers list, and nodes that have no others",
        optional=True,
    ),
    Reading(
        path="/apis/resource.k8s.io/v1/resourceclaims",
        loss="which of those devices are held",
        optional=True,
    ),
    Reading(
        path="/api/v1/resourcequotas",
        loss="whether the quotas of namespaces hold anybody back",
        optional=True,
    ),
    Reading(
        path="/api/v1/limitranges",
        loss="whether namespaces limit or give what a pod asks",
        optional=True,
    ),
    Reading(
        path="/api/v1/events",
        loss="why work waits, where only events say so",
        optional=True,
    ),
    Reading(
        path="/apis/kueue.x-k8s.io/v1beta1/workloads",
        loss="why jobs wait in Kueue's queues",
        optional=True,
    ),
    Reading(
        path="/api/v1/namespaces",
        loss="whether the operator's pods may be made, and rules about pods of namespaces with a label",
        optional=True,
    ),
    Reading(
        path="/apis/node.k8s.io/v1/runtimeclasses",
        loss="whether the operator's pods get the container runtime that they ask for",
        optional=True,
    ),
    Reading(
        path="/apis/apps/v1/daemonsets",
        verbs=["list"],
        loss="how the MIG managers and device plugins are configured",
        optional=True,
    ),
    Reading(
        path="/api/v1/namespaces/gpu-operator/configmaps/default-mig-parted-config",
        verbs=["get"],
        loss="how cards are cut where no label tells",
        optional=True,
    ),
)


async def probe(api: Api, readings: Sequence[Reading]) -> AsyncGenerator[Trial, None]:
    """Ask for the version, and where that is answered for all that is to be read."""
    try:
        async with api.answer("/version", within=_SECONDS) as answer:
            version = read_version(await answer.whole(), api.cluster)
    except SourceError as error:
        yield _unreached(error)
        if not isinstance(error, Forbidden):
            return
    else:
        yield fine("reach", f"Kubernetes {version}")
    for trial in await asyncio.gather(*(_try(api, one) for one in readings)):
        yield trial


def _unreached(error: SourceError) -> Trial:
    if isinstance(error, Forbidden):
        return failed(
            "get /version", error, "allow {nonResourceURLs: [/version], verbs: [get]} in a ClusterRole"
        )
    if isinstance(error.__cause__, aiohttp.ClientConnectorCertificateError):
        return failed("certificate", error, _CERTIFICATE)
    if ": 401 " in str(error):
        return failed("token", error, _CREDENTIALS)
    return failed("reach", error)


async def _try(api: Api, reading: Reading) -> Trial:
    what = reading.what
    try:
        await _read(api, reading)
    except Forbidden as error:
        return _forbidden(what, reading, error)
    except NotServed as error:
        if reading.optional:
            return Trial(what=what, outcome=Outcome.ABSENT, said="the cluster has none")
        return failed(what, error)
    except SourceError as error:
        return failed(what, error)
    return fine(what, "allowed")


def _forbidden(what: str, reading: Reading, error: Forbidden) -> Trial:
    fix = f"allow {reading.rule} in a ClusterRole that is bound to it"
    if reading.loss is None:
        return failed(what, error, fix)
    said = f"{error}; without it stays unknown {reading.loss}"
    return Trial(what=what, outcome=Outcome.WARNING, said=said, fix=fix)


class _Metadata(msgspec.Struct):
    version: str = msgspec.field(name="resourceVersion", default="")


class _Object(msgspec.Struct):
    """A list, or one object."""

    kind: str
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


async def _read(api: Api, reading: Reading) -> None:
    """Read one object at most, and begin a watch where one is needed."""
    async with api.answer(reading.path, [("limit", "1")], within=_SECONDS) as answer:
        found = _decoded(await answer.whole(), api, reading)
    if found.kind == "Status":
        raise SourceMisread(
            System.KUBERNETES, f"cluster {api.cluster}: {reading.path}: an error under status 200"
        )
    if "watch" in reading.verbs:
        query = [("watch", "true"), ("timeoutSeconds", "1"), ("resourceVersion", found.metadata.version)]
        async with api.answer(reading.path, query, within=_SECONDS):
            pass


def _decoded(body: bytes, api: Api, reading: Reading) -> _Object:
    try:
        return msgspec.json.decode(body, type=_Object)
    except UNREADABLE as error:
        raise SourceMisread(System.KUBERNETES, f"cluster {api.cluster}: {reading.path}: {error}") from error
