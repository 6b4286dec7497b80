import asyncio
import gzip
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest

from gateway.errors import Invalid, SourceError, SourceMisread, SourceRefused, SourceUnavailable
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.api import TRANSLATION, Answer, SlurmApi, meaning_of
from tests.servers.process import free_ports
from tests.sources.slurm.peers import Answering, drip, mute, ok, peer, saying

CREDENTIAL = "letmein"


def access(url: str, **fields: object) -> SlurmAccess:
    return SlurmAccess(name="lab", cluster="fleet", url=url, **fields)


async def ask(access: SlurmAccess, *, most_bytes: int = 2**20) -> Answer:
    async with SlurmApi(access, most_bytes=most_bytes) as api:
        return await api.get("/slurm/v0.0.42/nodes")


class Heard:
    """A peer that keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    async def __call__(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        self.requests.append(request.decode().lower())
        await ok(b"{}")(request, writer)


def every_client_error() -> list[type[Exception]]:
    found = [cls for cls in vars(aiohttp.client_exceptions).values() if isinstance(cls, type)]
    return [cls for cls in found if issubclass(cls, aiohttp.ClientError)]


def test_every_failure_of_the_client_has_a_row_of_its_own_but_for_those_that_no_get_without_redirects_meets():
    *_, otherwise = TRANSLATION
    others = {cls for cls in every_client_error() if meaning_of(cls) == otherwise[1:]}
    assert others == {
        aiohttp.ClientError,
        aiohttp.client_exceptions.UploadAbortedError,
        aiohttp.RedirectClientError,
        aiohttp.NonHttpUrlClientError,
        aiohttp.NonHttpUrlRedirectClientError,
    }


@pytest.mark.parametrize(
    ("cls", "meaning"),
    [
        (TimeoutError, SourceUnavailable),
        (aiohttp.SocketTimeoutError, SourceUnavailable),
        (aiohttp.ClientConnectorCertificateError, SourceUnavailable),
        (aiohttp.ServerDisconnectedError, SourceUnavailable),
        (aiohttp.ClientPayloadError, SourceUnavailable),
        (ConnectionResetError, SourceUnavailable),
        (aiohttp.ClientResponseError, SourceMisread),
        (aiohttp.InvalidURL, SourceMisread),
    ],
)
def test_a_failure_means_what_an_operator_would_do(cls: type[Exception], meaning: type[SourceError]):
    assert meaning_of(cls)[0] is meaning


async def test_both_headers_go_out_and_nothing_may_come_back_compressed():
    heard = Heard()
    async with peer(heard) as url:
        await ask(access(url, user="ada", token=CREDENTIAL))
    (request,) = heard.requests
    assert "x-slurm-user-name: ada\r\n" in request
    assert f"x-slurm-user-token: {CREDENTIAL}\r\n" in request
    assert "accept-encoding: identity\r\n" in request
    assert request.startswith("get /slurm/v0.0.42/nodes http/1.1\r\n")


async def test_a_token_without_a_name_goes_alone_and_no_token_is_no_header():
    heard = Heard()
    async with peer(heard) as url:
        await ask(access(url, token=CREDENTIAL))
        await ask(access(url))
    with_token, without = heard.requests
    assert "x-slurm-user-name" not in with_token
    assert "x-slurm-user" not in without


async def test_a_renewed_token_is_used_from_the_next_request_on(tmp_path: Path):
    heard, file = Heard(), tmp_path / "token"
    async with peer(heard) as url:
        file.write_text("first\n")
        async with SlurmApi(access(url, token_file=file)) as api:
            await api.get("/a")
            file.write_text("second\n")
            await api.get("/b")
    assert ["first" in request for request in heard.requests] == [True, False]
    assert "x-slurm-user-token: second\r\n" in heard.requests[1]


@pytest.mark.parametrize("content", ["", "\n", "two words", "line\nline", "café"])
async def test_a_file_without_a_token_is_named_before_anything_is_sent(tmp_path: Path, content: str):
    file = tmp_path / "token"
    file.write_text(content)
    with pytest.raises(SourceRefused, match=str(file)):
        await ask(access("http://127.0.0.1:9", token_file=file))


async def test_a_missing_token_file_is_named(tmp_path: Path):
    with pytest.raises(SourceRefused, match="No such file"):
        await ask(access("http://127.0.0.1:9", token_file=tmp_path / "gone"))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "slurm:6820",
        "ftp://slurm",
        "http://",
        "unix://socket",
        "http://h:99999",
        "http://me:pw@h",
        "http://h/?a=1",
    ],
)
def test_what_is_no_address_is_refused_at_once(url: str):
    with pytest.raises(Invalid, match="Slurm lab"):
        access(url)


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "é"])
def test_what_cannot_stand_in_a_header_is_refused_at_once(token: str):
    with pytest.raises(Invalid, match="Slurm lab: the token"):
        access("http://slurm:6820", token=token)


def test_two_tokens_are_one_too_many_and_neither_is_shown():
    with pytest.raises(Invalid, match="set one"):
        access("http://slurm", token=CREDENTIAL, token_file=Path("/token"))
    assert CREDENTIAL not in repr(access("http://slurm", token=CREDENTIAL))


async def test_a_unix_socket_is_asked_like_any_other(tmp_path: Path):
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ok(b'{"nodes": []}')(await reader.readuntil(b"\r\n\r\n"), writer)
        writer.close()

    socket = tmp_path / "s"
    server = await asyncio.start_unix_server(serve, socket)
    async with server:
        answer = await ask(access(f"unix://{socket}"))
    assert answer == (f"Slurm lab (unix://{socket}/slurm/v0.0.42/nodes)", 200, b'{"nodes": []}')


async def test_a_socket_that_is_not_there_is_unavailable(tmp_path: Path):
    with pytest.raises(SourceUnavailable, match="no connection"):
        await ask(access(f"unix://{tmp_path}/gone"))


async def test_a_port_that_refuses_is_unavailable():
    (port,) = free_ports(1)
    with pytest.raises(SourceUnavailable, match="no connection"):
        await ask(access(f"http://127.0.0.1:{port}"))


@pytest.mark.parametrize("answering", [drip, mute])
async def test_a_peer_that_drips_or_says_nothing_is_given_up(answering: Answering):
    async with peer(answering) as url:
        with pytest.raises(SourceUnavailable, match="no answer in time"):
            await ask(access(url, deadline=timedelta(seconds=0.2)))


@pytest.mark.parametrize(
    ("answering", "meaning"),
    [
        (saying(b""), SourceUnavailable),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"), SourceUnavailable),
        (saying(b"SSH-2.0-OpenSSH\r\n\r\n"), SourceMisread),
    ],
)
async def test_an_answer_that_breaks_off_or_is_no_http_is_an_error(
    answering: Answering, meaning: type[SourceError]
):
    async with peer(answering) as url:
        with pytest.raises(meaning):
            await ask(access(url))


async def test_an_answer_without_end_is_cut_at_the_limit():
    async with peer(ok(b" " * 70_000)) as url:
        with pytest.raises(SourceMisread, match="over 65536 bytes"):
            await ask(access(url), most_bytes=2**16)


async def test_a_compressed_answer_is_not_unfolded():
    bomb = gzip.compress(b" " * 10_000_000)
    async with peer(ok(bomb, "Content-Encoding: gzip")) as url:
        answer = await ask(access(url))
    assert answer.body == bomb


async def test_a_redirect_does_not_carry_the_token_away():
    heard = Heard()
    async with (
        peer(heard) as elsewhere,
        peer(ok(b"", f"Location: {elsewhere}/", status="302 Found")) as url,
    ):
        answer = await ask(access(url, token=CREDENTIAL))
    assert answer.status == 302
    assert heard.requests == []
