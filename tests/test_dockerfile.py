"""What the Dockerfile installs is whole: it starts from an empty folder, and writes nothing there."""

import re
import subprocess
from pathlib import Path

import aiohttp
import pytest

from tests.command_line import serving_command
from tests.conftest import REQUIRED
from tests.dockerfile import Image, StepFailed

ROOT = Path(__file__).parents[1]
OFFLINE = re.compile(
    "NewConnectionError|NameResolution|ConnectTimeout|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT"
)
SETTINGS = {"GPU_GATEWAY_PORT": "0", "GPU_GATEWAY_POSTGRES_DSN": "postgresql://127.0.0.1:1/none"}


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    try:
        return Image(ROOT, tmp_path_factory.mktemp("image"))
    except StepFailed as failed:
        if REQUIRED or not OFFLINE.search(str(failed)):
            raise
        pytest.skip("its packages cannot be fetched: there is no network")


async def test_it_serves_the_graph_and_graphiql_and_writes_nothing(image):
    before = files(image.root)
    async with serving_command(image.command, image.environment | SETTINGS, image.root) as running:
        page = await answer(running.url, "/")
        assert "graphiql" in page
        for file in re.findall(r'(?:src|href)="(/web/[^"]+)"', page):
            assert await answer(running.url, file)
        assert await answer(running.url, "/healthz")
    assert files(image.root) == before


def test_its_packages_are_those_of_this_tree(image):
    said = in_image(image, "gpu-gateway", "schema")
    assert said == (ROOT / "schema.graphql").read_text()
    where = in_image(image, "python", "-c", "import gateway; print(gateway.__file__)")
    assert where.startswith(str(image.root))


def test_it_runs_as_nobody(image):
    assert image.user == "65532:65532"


def in_image(image, *command):
    run = subprocess.run(command, cwd=image.root, env=image.environment, capture_output=True, check=True)  # noqa: S603  ours
    return run.stdout.decode()


async def answer(url, path):
    async with aiohttp.ClientSession() as session, session.get(f"{url}{path}") as response:
        assert response.status == 200, path
        return await response.text()


def files(root):
    return {path: path.lstat().st_mtime_ns for path in root.rglob("*")}
