"""What a peer may make the gateway hold: an answer without an end, a line without an end, a bomb."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from gateway.errors import SourceMisread, System
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.watch import WatchRhythm
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.answers import read_list
from gateway.sources.slurm.api import SlurmApi
from tests.contracts.kubernetes_source import config_maps, watching

MIB = 2**20
FLOOD = b" " * MIB
MOST_HELD = 512 * MIB
PAST_ANY_LIMIT = 2048


class Peer:
    """Answers everything with more than anybody can hold."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.sent = 0
        """MiB that the other side took."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if self.kind == "line" and "watch" not in request.query:
            return web.json_response({"metadata": {"resourceVersion": "7"}, "items": []})
        headers = {"Content-Type": "application/json"}
        bomb = self.kind == "bomb"
        if bomb:
            headers["Content-Encoding"] = "gzip"
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        chunk = gzip.compress(FLOOD) if bomb else FLOOD
        try:
            while self.sent < PAST_ANY_LIMIT:
                await response.write(chunk)
                self.sent += 1
        except ConnectionError:
            pass  # the other side had enough
        return response


@asynccontextmanager
async def serving(kind: str) -> AsyncIterator[tuple[Peer, str]]:
    peer, app = Peer(kind), web.Application()
    app.router.add_get("/{path:.*}", peer.answer)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield peer, f"http://{host}:{port}"
    finally:
        await runner.cleanup()


@pytest.fixture
def held():
    """How much more memory than before was held at most."""
    status = Path("/proc/self/status")

    def kept(word: str) -> int:
        line = next(line for line in status.read_text().splitlines() if line.startswith(word))
        return int(line.split()[1]) * 1024

    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = kept("VmRSS:")
    return lambda: kept("VmHWM:") - before


@pytest.mark.parametrize("kind", ["endless", "bomb"])
async def test_an_api_servers_answer_without_an_end_is_misread_and_not_held(kind, held):
    async with serving(kind) as (peer, url):
        api = Api(ClusterAccess(name="fleet", way=Url(url=url)))
        with pytest.raises(SourceMisread, match="an answer of over 134217728 bytes"):
            await api.read("/api/v1/nodes")
        await api.close()
    assert held() < MOST_HELD
    assert kind == "bomb" or peer.sent < 256


@pytest.mark.parametrize("kind", ["endless", "bomb"])
async def test_slurmrestds_answer_without_an_end_is_misread_and_not_held(kind, held):
    async with (
        serving(kind) as (peer, url),
        SlurmApi(SlurmAccess(name="slurm", cluster="fleet", url=url)) as api,
    ):
        if kind == "endless":
            with pytest.raises(SourceMisread, match="the answer is over 268435456 bytes"):
                await api.get("/slurm/v0.0.42/nodes")
            assert peer.sent < PAST_ANY_LIMIT / 2
        else:
            answer = await api.get("/slurm/v0.0.42/nodes")
            assert len(answer.body) < 8 * MIB, "it is not unfolded at all"
            with pytest.raises(SourceMisread, match="the answer cannot be read"):
                read_list(answer, "nodes")
    assert held() < MOST_HELD


async def test_a_line_of_a_watch_without_an_end_is_given_up_and_everything_is_listed_again(held):
    async with serving("line") as (peer, url):
        access = ClusterAccess(name="fleet", way=Url(url=url))
        async with watching(access, config_maps("default"), WatchRhythm()) as feed:
            await feed.until(lambda: feed.replaced >= 2)
            contact = feed.contacts[SourceKey(System.KUBERNETES, "fleet", "configmaps")]
    assert contact.last_success_at is not None
    assert peer.sent < 64
    assert held() < MOST_HELD
