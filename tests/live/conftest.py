"""What several modules of live tests share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.live.installation import install
from tests.servers.cluster import Cluster, running_cluster
from tests.servers.kueue import serve_kueue
from tests.servers.volcano import serve_volcano


@pytest.fixture(scope="session")
async def deployed(
    cluster_programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Cluster]:
    """A cluster of its own with Volcano's and Kueue's kinds, a node, and deploy/ in it."""
    async with running_cluster(cluster_programs, tmp_path_factory.mktemp("deployed")) as running:
        await serve_volcano(running)
        await serve_kueue(running)
        await running.create("/api/v1/nodes", {"metadata": {"name": "plain-01", "labels": {"pool": "plain"}}})
        await install(running)
        yield running
