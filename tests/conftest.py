"""The real servers of the tests, each started by the first test that asks, and what every test is held to."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NoReturn

import hypothesis
import pytest

from tests.servers import control_plane as control_planes
from tests.servers import postgres as postgres_servers
from tests.servers import slurm as slurms
from tests.servers import valkey as valkeys
from tests.servers.cluster import Cluster, running_cluster
from tests.servers.control_plane import ControlPlane, running_control_plane
from tests.servers.postgres import Postgres, running_postgres
from tests.servers.slurm import Slurm, running_slurm
from tests.servers.valkey import Valkey, running_valkey
from tests.servers.volcano import serve_volcano

# A test run has no gateway whose settings this could be one of.
REQUIRED = os.environ.get("TESTS_REQUIRE_SERVERS") == "1"  # noqa: TID251  how CI asks pytest for it

# New examples each time, in CI too; the machine's speed decides nothing.
hypothesis.settings.register_profile("tests", deadline=None, derandomize=False, print_blob=True)
hypothesis.settings.load_profile("tests")


def pytest_report_header() -> list[str]:
    """Say which real servers this run has, so that nobody takes a skip for a pass."""
    built = control_planes.built_programs() is not None
    versions = {
        "PostgreSQL": postgres_servers.installed_version(),
        "kube-apiserver": control_planes.pinned_version() if built else None,
        "Slurm": slurms.installed_version(),
        "Valkey": valkeys.installed_version(),
    }
    found = [f"{name} {version}" for name, version in versions.items() if version]
    missing = [name for name, version in versions.items() if not version]
    lines = [f"real servers: {', '.join(found) or 'none'}"]
    return lines + ([f"not here: {', '.join(missing)} (run 'make servers')"] if missing else [])


@pytest.fixture(scope="session")
def cluster_programs() -> Path:
    """What a cluster is made of."""
    return control_planes.built_programs() or _absent("kube-apiserver", "make servers")


@pytest.fixture(scope="session")
async def control_plane(
    cluster_programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[ControlPlane]:
    """A real Kubernetes API, which does not know Volcano."""
    async with running_control_plane(cluster_programs, tmp_path_factory.mktemp("control-plane")) as running:
        yield running


@pytest.fixture(scope="session")
async def volcano_api(
    cluster_programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[ControlPlane]:
    """A second one, which serves Volcano's queues and pod groups too."""
    async with running_control_plane(cluster_programs, tmp_path_factory.mktemp("volcano")) as running:
        await serve_volcano(running)
        yield running


@pytest.fixture(scope="session")
async def cluster(cluster_programs: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cluster]:
    """A third one with controllers, scheduler and kubelets, so what tests write there lives."""
    async with running_cluster(cluster_programs, tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="session")
async def slurm() -> AsyncIterator[Slurm]:
    """A real Slurm with its slurmrestd."""
    if slurms.installed_version() is None:
        _absent("Slurm", "make servers")
    async with running_slurm() as running:
        yield running


@pytest.fixture(scope="session")
async def postgres() -> AsyncIterator[Postgres]:
    """A real PostgreSQL."""
    if postgres_servers.installed_version() is None:
        _absent("PostgreSQL", "make test")
    async with running_postgres() as running:
        yield running


@pytest.fixture
async def postgres_dsn(postgres: Postgres) -> AsyncIterator[str]:
    """A new, empty database."""
    async with postgres.database() as dsn:
        yield dsn


@pytest.fixture(scope="session")
async def running_cache(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Valkey]:
    """A real Valkey."""
    if valkeys.installed_version() is None:
        _absent("Valkey", "make test")
    async with running_valkey(tmp_path_factory.mktemp("valkey")) as running:
        yield running


@pytest.fixture
async def valkey(running_cache: Valkey) -> Valkey:
    """The same, and it holds nothing."""
    await running_cache.empty()
    return running_cache


def _absent(server: str, fix: str) -> NoReturn:
    """Skip the test, or fail it where real servers are required."""
    sentence = f"there is no {server} on this machine: '{fix}' puts it there"
    if REQUIRED:
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)


@pytest.fixture(scope="session", autouse=True)
async def _stray_failures() -> AsyncIterator[list[dict[str, Any]]]:
    """What the event loop was told of failures that nobody awaited."""
    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    yield failures
    gc.collect()
    assert not failures, f"tasks failed and nobody looked: {failures}"


@pytest.fixture(autouse=True)
def _no_stray_failure(_stray_failures: list[dict[str, Any]]) -> Iterator[None]:
    """A task that failed with nobody looking fails a test."""
    yield
    failures, _stray_failures[:] = list(_stray_failures), []
    assert not failures, f"a task failed and nobody looked: {failures}"
