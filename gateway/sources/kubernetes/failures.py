"""What goes wrong between us and an API server, in the gateway's words."""

import contextlib
from collections.abc import Iterator
from http import HTTPStatus

import aiohttp
from aiohttp import http_exceptions
from kubernetes.aio.client import ApiException, OpenApiException

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable, System

_SERVER_ERRORS = 500

TRANSLATION: dict[type[Exception], type[SourceError]] = {
    aiohttp.ClientConnectorCertificateError: SourceRefused,
    aiohttp.ServerFingerprintMismatch: SourceRefused,
    aiohttp.ClientConnectionError: SourceUnavailable,
    aiohttp.ClientPayloadError: SourceUnavailable,
    aiohttp.UploadAbortedError: SourceUnavailable,
    aiohttp.ClientHttpProxyError: SourceUnavailable,
    aiohttp.ClientResponseError: SourceMisread,
    aiohttp.InvalidURL: SourceMisread,
    aiohttp.NonHttpUrlClientError: SourceMisread,
    aiohttp.RedirectClientError: SourceMisread,
    aiohttp.WSMessageTypeError: SourceMisread,
    http_exceptions.HttpProcessingError: SourceMisread,
    OpenApiException: SourceMisread,
    OSError: SourceUnavailable,
}
"""What each error of the libraries is to a caller; the nearest of its bases decides."""


class Gone(SourceUnavailable):
    """410: the version or the page that was asked for is no longer kept. List again."""


class Forbidden(SourceRefused):
    """403: our credentials are known, and may not."""


class NotServed(SourceMisread):
    """404: the server has no such resource."""


_REFUSALS: dict[int, type[SourceError]] = {
    HTTPStatus.UNAUTHORIZED: SourceRefused,
    HTTPStatus.FORBIDDEN: Forbidden,
    HTTPStatus.NOT_FOUND: NotServed,
    HTTPStatus.REQUEST_TIMEOUT: SourceUnavailable,
    HTTPStatus.GONE: Gone,
    HTTPStatus.TOO_MANY_REQUESTS: SourceUnavailable,
}


def refusal(status: int, message: str) -> SourceError:
    """What a status is, that of an answer or the code of an ERROR in a watch."""
    if status in _REFUSALS:
        return _REFUSALS[status](System.KUBERNETES, message)
    kind = SourceUnavailable if status >= _SERVER_ERRORS else SourceMisread
    return kind(System.KUBERNETES, message)


@contextlib.contextmanager
def translated(cluster: str) -> Iterator[None]:
    """Raise what the libraries raise within as what it means to a caller."""
    try:
        yield
    except ApiException as error:
        raise refusal(error.status or 0, f"cluster {cluster}: {error.status} {error.reason}") from error
    except tuple(TRANSLATION) as error:
        raise translate(error, cluster) from error


def translate(error: Exception, cluster: str) -> SourceError:
    """The same failure in the gateway's words."""
    known = next(TRANSLATION[base] for base in type(error).__mro__ if base in TRANSLATION)
    said = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
    return known(System.KUBERNETES, f"cluster {cluster}: {said}")
