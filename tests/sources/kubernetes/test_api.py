import asyncio
import gzip

import pytest

from gateway.errors import SourceError, SourceRefused, SourceUnavailable
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api, Reply, Request
from tests.servers.process import free_ports
from tests.sources.kubernetes.scripted import Answer, a_watch, event, serving


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


async def test_credentials_that_are_turned_down_do_not_break_what_is_being_read():
    async with serving([Answer(status=401), Answer(b"{}")], [a_watch(event("ADDED", {}), stays=True)]) as (
        _,
        access,
    ):
        api = Api(access)
        async with api.answer("/api/v1/pods", [("watch", "true")]) as answer:
            assert await answer.chunk() == event("ADDED", {})
            with pytest.raises(SourceRefused):
                await api.read("/api/v1/nodes")
            assert await api.read("/api/v1/nodes") == b"{}"
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await answer.chunk()
        await api.close()


async def exchanging(access, **asked):
    api = Api(access)
    try:
        return await api.exchange(Request(path="/api/v1/nodes/gpu-1", **asked))
    finally:
        await api.close()


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_write_is_never_repeated_though_the_server_asks_to_try_again(method):
    later = Answer(b"{}", status=503, headers=(("Retry-After", "0"),))
    async with serving([later]) as (script, access):
        assert await exchanging(access, method=method, body={}) == Reply(status=503, body=b"{}")
        assert len(script.asked) == 1


async def test_a_refused_write_is_answered_with_what_the_server_said():
    async with serving([Answer(b'{"message": "no"}', status=409)]) as (_, access):
        assert await exchanging(access, method="PUT", body={}) == Reply(status=409, body=b'{"message": "no"}')


async def test_an_answer_of_who_is_no_api_server_is_an_error_whatever_its_status():
    async with serving([Answer(b"<html>", status=404, content_type="text/html")]) as (_, access):
        with pytest.raises(SourceError, match="404 Not Found"):
            await exchanging(access, method="DELETE", body={})


async def test_a_write_whose_credentials_are_turned_down_is_an_error():
    async with serving([Answer(b"{}", status=401)]) as (_, access):
        with pytest.raises(SourceRefused):
            await exchanging(access, method="PATCH", body={})
