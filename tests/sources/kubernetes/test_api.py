import gzip
import inspect
import ssl

import aiohttp
import pytest
from aiohttp import client_exceptions, http_exceptions
from kubernetes.aio.client import exceptions as kubernetes_exceptions

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable, System
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import TRANSLATION, Api, Gone, NotServed, refusal, translate
from tests.servers.process import free_ports
from tests.sources.kubernetes.scripted import Answer, serving

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
        (403, SourceRefused),
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


async def reading(access, path="/api/v1/nodes"):
    api = Api(access)
    try:
        return await api.read(path)
    finally:
        await api.close()


async def test_reads_the_whole_of_an_answer():
    async with serving([Answer(b'{"items": []}')]) as (_, access):
        assert await reading(access) == b'{"items": []}'


async def test_a_refusal_carries_the_servers_words_and_the_path():
    body = b'{"kind": "Status", "message": "nodes is forbidden"}'
    async with serving([Answer(body, status=403)]) as (_, access):
        with pytest.raises(SourceRefused, match="fleet: /api/v1/nodes: 403 nodes is forbidden"):
            await reading(access)


async def test_where_nobody_listens_is_unavailable():
    access = ClusterAccess(name="fleet", way=Url(url=f"http://127.0.0.1:{free_ports(1)[0]}"))
    with pytest.raises(SourceUnavailable, match="cluster fleet: Cannot connect"):
        await reading(access)


async def test_an_answer_that_swells_without_end_is_cut_off():
    bomb = Answer(gzip.compress(b" " * (129 * 2**20)), headers=(("Content-Encoding", "gzip"),))
    async with serving([bomb]) as (_, access):
        with pytest.raises(SourceError):
            await reading(access)


async def test_what_the_server_asks_to_try_again_is_tried_again():
    later = Answer(status=429, headers=(("Retry-After", "0"),))
    async with serving([later, Answer(b"{}")]) as (script, access):
        assert await reading(access) == b"{}"
        assert len(script.asked) == 2


async def test_a_server_that_asks_to_try_again_for_ever_is_unavailable():
    later = Answer(status=503, headers=(("Retry-After", "0"),))
    async with serving([later]) as (script, access):
        with pytest.raises(SourceUnavailable, match="503 Service Unavailable"):
            await reading(access)
        assert len(script.asked) == 3
