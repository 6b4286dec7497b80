import inspect
import ssl

import aiohttp
import pytest
from aiohttp import client_exceptions, http_exceptions
from kubernetes.aio.client import exceptions as kubernetes_exceptions

from gateway.errors import SourceMisread, SourceRefused, SourceUnavailable, System
from gateway.sources.kubernetes.failures import TRANSLATION, Forbidden, Gone, NotServed, refusal, translate

LIBRARIES = (client_exceptions, http_exceptions, kubernetes_exceptions)
RAISED = [
    error
    for library in LIBRARIES
    for _, error in inspect.getmembers(library, inspect.isclass)
    if issubclass(error, Exception) and error.__module__ == library.__name__
]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: error.__name__)
def test_every_error_of_the_libraries_has_a_translation(error):
    bases = [base for base in error.__mro__ if base in TRANSLATION]
    # The root of aiohttp's tree is raised by nobody; a new branch of it must be given a meaning.
    assert bases or error is aiohttp.ClientError


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (aiohttp.ServerDisconnectedError(), SourceUnavailable),
        (aiohttp.ClientPayloadError("cut"), SourceUnavailable),
        (aiohttp.ServerTimeoutError(), SourceUnavailable),
        (TimeoutError(), SourceUnavailable),
        (ConnectionResetError(), SourceUnavailable),
        (ssl.SSLError("handshake"), SourceUnavailable),
        (aiohttp.ServerFingerprintMismatch(b"a", b"b", "host", 1), SourceRefused),
        (aiohttp.InvalidURL("http//x"), SourceMisread),
        (http_exceptions.BadStatusLine("HTPT/1.1"), SourceMisread),
        (kubernetes_exceptions.ApiValueError("no"), SourceMisread),
    ],
)
def test_says_what_an_error_means_to_a_caller(error, expected):
    told = translate(error, "fleet")
    assert type(told) is expected
    assert str(told).startswith("cluster fleet: ")
    assert told.system is System.KUBERNETES


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, SourceRefused),
        (403, Forbidden),
        (404, NotServed),
        (410, Gone),
        (408, SourceUnavailable),
        (429, SourceUnavailable),
        (500, SourceUnavailable),
        (503, SourceUnavailable),
        (400, SourceMisread),
        (204, SourceMisread),
    ],
)
def test_says_what_a_status_means_to_a_caller(status, expected):
    assert type(refusal(status, "no")) is expected
