import json
import sys
from dataclasses import replace
from datetime import timedelta

import pytest
from aiohttp import web

from gateway.errors import SourceRefused
from gateway.fleet.clock import utc_now
from gateway.sources.kubernetes.access import ClusterAccess, InCluster, Kubeconfig, Url
from gateway.sources.kubernetes.api import Api

HIDDEN = "hidden"
PLUGIN = """
import json, pathlib, sys
runs = pathlib.Path(sys.argv[1])
runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
status = json.loads(sys.argv[2])
if status is None:
    sys.exit(3)
status = {key: value.replace("RUN", str(len(runs.read_text()))) for key, value in status.items()}
answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
print(json.dumps(answer))
"""


class Server:
    """An API server that remembers by what token it was asked, and turns one down."""

    turned_down = "Bearer refused"

    def __init__(self):
        self.tokens = []
        self.url = ""

    async def answer(self, request):
        self.tokens.append(request.headers.get("Authorization"))
        return web.json_response({}, status=401 if self.tokens[-1] == self.turned_down else 200)


@pytest.fixture
async def server():
    server, app = Server(), web.Application()
    app.router.add_get("/{path:.*}", server.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    server.url = f"http://{host}:{port}"
    yield server
    await runner.cleanup()


@pytest.fixture
async def reach():
    """Open the API by a way; it is closed afterwards."""
    opened = []

    def reach(way):
        opened.append(Api(ClusterAccess(name="fleet", way=way)))
        return opened[-1]

    yield reach
    for api in opened:
        await api.close()


def kubeconfig(folder, server, user):
    path = folder / "config"
    content = {
        "clusters": [{"name": "c", "cluster": {"server": server.url}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path.write_text(json.dumps(content))
    return Kubeconfig(path=path)


def plugin(folder, status):
    program = folder / "plugin.py"
    program.write_text(PLUGIN)
    version = "client.authentication.k8s.io/v1"
    arguments = [str(program), str(folder / "runs"), json.dumps(status)]
    return {"exec": {"apiVersion": version, "command": sys.executable, "args": arguments}}


async def test_sends_the_token_of_an_address(server, reach):
    await reach(Url(url=server.url, token="abc\n")).read("/version")  # noqa: S106  no secret
    assert server.tokens == ["Bearer abc"]


async def test_asks_without_a_token_where_none_is_given(server, reach):
    await reach(Url(url=server.url)).read("/version")
    assert server.tokens == [None]


async def test_reads_a_token_file_anew_for_each_request(server, reach, tmp_path):
    token_file = tmp_path / "token"
    token_file.write_text("one\n")
    api = reach(Url(url=server.url, token_file=token_file))
    await api.read("/version")
    token_file.write_text("two\n")
    await api.read("/version")
    assert server.tokens == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize("content", [None, "", "\n"])
async def test_a_token_file_that_holds_no_token_is_told_by_name(server, reach, tmp_path, content):
    token_file = tmp_path / "token"
    if content is not None:
        token_file.write_text(content)
    with pytest.raises(SourceRefused, match=f"the token file {token_file}"):
        await reach(Url(url=server.url, token_file=token_file)).read("/version")
    assert server.tokens == []


async def test_a_ca_file_that_is_not_there_is_told_by_name(reach, tmp_path):
    way = Url(url="https://127.0.0.1:1", token=HIDDEN, ca_file=tmp_path / "ca.crt")
    with pytest.raises(SourceRefused, match=r"the CA file .*ca\.crt is not there"):
        await reach(way).read("/version")


async def test_a_pod_without_a_service_account_or_a_server_is_told_so(reach, tmp_path):
    token_file, ca_file = tmp_path / "token", tmp_path / "ca.crt"
    environ = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1"}
    api = reach(InCluster(token_file=token_file, ca_file=ca_file, environ=environ))
    with pytest.raises(SourceRefused, match="token file does not exist"):
        await api.read("/version")
    with pytest.raises(SourceRefused, match="Service host/port is not set"):
        await reach(InCluster(token_file=token_file, ca_file=ca_file, environ={})).read("/version")


async def test_uses_the_token_of_a_kubeconfig(server, reach, tmp_path):
    await reach(kubeconfig(tmp_path, server, {"token": "abc"})).read("/version")
    assert server.tokens == ["Bearer abc"]


async def test_reads_the_token_file_of_a_kubeconfig_anew(server, reach, tmp_path):
    (tmp_path / "token").write_text("one\n")
    api = reach(kubeconfig(tmp_path, server, {"tokenFile": "token"}))
    await api.read("/version")
    (tmp_path / "token").write_text("two\n")
    await api.read("/version")
    assert server.tokens == ["Bearer one", "Bearer two"]


async def test_keeps_the_token_of_a_plugin_that_names_no_end(server, reach, tmp_path):
    api = reach(kubeconfig(tmp_path, server, plugin(tmp_path, {"token": "RUN"})))
    await api.read("/version")
    await api.read("/version")
    assert server.tokens == ["Bearer 1", "Bearer 1"]


async def test_asks_a_plugin_again_before_its_token_ends(server, reach, tmp_path):
    soon = (utc_now() + timedelta(minutes=1)).isoformat()
    api = reach(kubeconfig(tmp_path, server, plugin(tmp_path, {"token": "RUN", "expirationTimestamp": soon})))
    await api.read("/version")
    await api.read("/version")
    first, second = server.tokens
    assert first != second


async def test_asks_a_plugin_again_after_its_token_was_turned_down(server, reach, tmp_path):
    api = reach(kubeconfig(tmp_path, server, plugin(tmp_path, {"token": "refused"})))
    for _ in range(2):
        with pytest.raises(SourceRefused, match="401"):
            await api.read("/version")
    assert (tmp_path / "runs").read_text() == "xx"


@pytest.mark.parametrize("status", [None, {}, {"clientCertificateData": "x"}])
async def test_never_asks_without_credentials_when_a_plugin_gives_none(server, reach, tmp_path, status):
    api = reach(kubeconfig(tmp_path, server, plugin(tmp_path, status)))
    with pytest.raises(SourceRefused, match=r"the credential plugin .* gave no credentials"):
        await api.read("/version")
    assert server.tokens == []


async def test_a_plugin_that_takes_too_long_is_ended_and_told(server, reach, tmp_path):
    user = plugin(tmp_path, {})
    user["exec"]["args"] = ["-c", "import time; time.sleep(60)"]
    way = replace(kubeconfig(tmp_path, server, user), plugin_within=timedelta(seconds=0.2))
    with pytest.raises(SourceRefused, match=r"the credential plugin .* gave no credentials"):
        await reach(way).read("/version")
    assert server.tokens == []
