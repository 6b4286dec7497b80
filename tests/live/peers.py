"""A real API server as a test of writes meets it."""

import contextlib
import ssl
from collections.abc import AsyncIterator

import aiohttp

from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig
from tests.contracts.kubernetes_peer import NAMESPACE, Peer
from tests.servers.control_plane import ControlPlane, Refusal


@contextlib.asynccontextmanager
async def real_peer(control_plane: ControlPlane) -> AsyncIterator[Peer]:
    """This one, with the namespace that such tests work in."""
    with contextlib.suppress(Refusal):
        await control_plane.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    access = ClusterAccess(name="fleet", way=Kubeconfig(path=control_plane.kubeconfig))
    connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=control_plane.ca))
    headers = {"Authorization": f"Bearer {control_plane.token}"}
    async with aiohttp.ClientSession(control_plane.url, connector=connector, headers=headers) as session:
        yield Peer(access, session)
