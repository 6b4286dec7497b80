import asyncio
import shutil
from asyncio.subprocess import DEVNULL, PIPE

import pytest

from gateway.app import create_app
from gateway.simulator.listener import Listener
from tests.http.test_pages import needs_web

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--virtual-time-budget=10000",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--dump-dom",
)


@needs_web
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
async def test_graphiql_starts_in_a_browser_that_reaches_nothing_else(fleets, tmp_path):
    async with Listener(create_app(fleets.parts())) as listener:
        browser = await asyncio.create_subprocess_exec(
            *(CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path}", listener.url), stdout=PIPE, stderr=DEVNULL
        )
        async with asyncio.timeout(60):
            page, _ = await browser.communicate()

    assert b'class="graphiql-container"' in page
    assert b'class="graphiql-execute-button"' in page
