"""Faults of a cluster: the ways in which kube-apiserver declines to answer what was asked."""

from enum import Enum

from starlette.responses import Response

from gateway.simulator import status
from gateway.simulator.faults import WireFault
from gateway.simulator.store import encode


class KubernetesFault(Enum):
    """How a cluster declines."""

    UNAUTHORIZED = 401
    FORBIDDEN = 403
    GONE = 410
    """A watch says it in its first line, a list by its HTTP status."""
    SERVER_ERROR = 500
    UNAVAILABLE = 503
    """Also what stands for a cluster, or a kind, that was never recorded: nobody knows what is there."""
    ERROR_INSIDE = 200
    """A list is a Status of a failure under HTTP 200; a watch ends with an ERROR of code 500."""


Fault = WireFault | KubernetesFault


def declined(fault: Fault | None, *, watching: bool) -> Response | None:
    """What the fault answers instead; None where it is not of this sort."""
    if not isinstance(fault, KubernetesFault):
        return None
    if watching and fault is KubernetesFault.GONE:
        return _inside(status.error_line(410, "too old resource version: 1 (2)"))
    if fault is KubernetesFault.ERROR_INSIDE:
        line = status.error_line(500, "etcdserver: request timed out")
        return (
            _inside(line)
            if watching
            else _inside(encode(status.status(500, "etcdserver: request timed out")))
        )
    return status.refusal(fault.value, _SAID[fault])


def _inside(body: bytes) -> Response:
    return Response(body, media_type="application/json")


_SAID = {
    KubernetesFault.UNAUTHORIZED: "Unauthorized",
    KubernetesFault.FORBIDDEN: 'forbidden: User "gateway" cannot list this resource at the cluster scope',
    KubernetesFault.GONE: "The resourceVersion for the provided list is too old.",
    KubernetesFault.SERVER_ERROR: "etcdserver: request timed out",
    KubernetesFault.UNAVAILABLE: "the server is currently unable to handle the request",
}
