import re
import shutil

import aiohttp
import pytest

from gateway.app import create_app
from gateway.http.pages import _FILES
from gateway.simulator.listener import Listener
from tests.http.tiny import WEB

INSTALLED = (WEB / "node_modules").is_dir()
needs_web = pytest.mark.skipif(not INSTALLED, reason="GraphiQL is not installed: 'make web' installs it")
NAMED = re.compile(r'(?:src|href)="([^"]+)"')


@needs_web
async def test_every_file_that_the_page_names_is_served_from_here(client):
    async with client.get("/") as response:
        assert (response.status, response.content_type) == (200, "text/html")
        named = NAMED.findall(await response.text())

    assert len(named) == len(_FILES)
    for url in named:
        async with client.get(url) as response:
            assert response.status == 200, url
            assert await response.read()


def test_no_file_of_ours_names_another_machine():
    for name in ("index.html", "start.js", "start.css"):
        assert "//" not in re.sub(r"(?m)^\s*//.*$", "", (WEB / name).read_text()), name


@needs_web
async def test_the_page_may_ask_nobody_but_this_gateway(client):
    async with client.get("/") as response:
        policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))

    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self'"
    assert not any("http" in sources or "*" in sources for sources in policy.values())


@pytest.mark.parametrize("name", ["package.json", "..%2fREADME.md", "graphiql.js", "index.html"])
async def test_nothing_but_those_files_is_served(client, name):
    async with client.get(f"/web/{name}") as response:
        assert response.status == 404


async def test_says_how_to_install_graphiql_where_it_is_missing(fleets, tmp_path):
    for name in ("index.html", "start.js", "start.css", "icon.svg"):
        shutil.copy(WEB / name, tmp_path)

    app = create_app(fleets.parts(web=tmp_path))
    async with Listener(app) as listener, aiohttp.ClientSession(listener.url) as client:
        async with client.get("/") as response:
            assert response.status == 503
            assert "make web" in await response.text()
        async with client.post("/graphql", json={"query": "{ hello }"}) as response:
            assert response.status == 200
