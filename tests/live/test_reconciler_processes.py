"""gpu-gateway controllers as processes that die and freeze, on a real API server and a real database."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.simulator.listener import Listener
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.hands import KubernetesHands
from gateway.sources.postgres.migrate import migrate
from tests.contracts.kubernetes_peer import CONFIG_MAPS, NAMESPACE, NODES, PeerPort
from tests.contracts.mig_manager import FILE, Machine
from tests.contracts.reconciled import SEVENTHS, Reconciled
from tests.contracts.reconciler import LAYOUT, a_machine
from tests.live.peers import real_peer
from tests.servers.gate import Gate
from tests.servers.process import Process
from tests.sources.postgres.as_writer import HEALTH, RECONCILER, dsn_of

LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/gpu-gateway-controllers"
SETTINGS = """
stale_after = "1m"
[postgres]
dsn = "{reconciler}"
health_dsn = "{health}"
[controllers]
port = 0
operator_namespace = "{namespace}"
lease_namespace = "{namespace}"
[[clusters]]
name = "fleet"
url = "{url}"
token_file = "{token}"
"""


class Site:
    """A node whose programs go on by themselves, and processes that work on it."""

    def __init__(self, node: Reconciled, server, folder: Path) -> None:
        self.node = node
        self._server = server
        self._folder = folder
        self._started: list[Process] = []

    def process(self, name: str, url: str = "") -> Process:
        """Start gpu-gateway controllers, by another way to the API server where one is given."""
        place = self._folder / name
        place.mkdir()
        (place / "token").write_text(self._server.token)
        dsn, way = self.node.dsn, url or self._server.url
        roles = {"reconciler": dsn_of(RECONCILER, dsn), "health": dsn_of(HEALTH, dsn)}
        text = SETTINGS.format(url=way, token=place / "token", namespace=NAMESPACE, **roles)
        text += "" if url else f'ca_file = "{self._server.ca}"\n'
        (place / "settings.toml").write_text(text)
        command = [Path(sys.executable).with_name("gpu-gateway"), "controllers"]
        environ = f"GPU_GATEWAY_CONFIG={place / 'settings.toml'}"
        process = Process(name, ["env", environ, *command], folder=place)
        process.start()
        self._started.append(process)
        return process

    async def until(self, *phases: str) -> None:
        """Return once the node is in one of these phases."""
        observed = None
        try:
            async with asyncio.timeout(300):
                while observed is None or observed.phase.value not in phases:
                    await asyncio.sleep(0.05)
                    observed = (await self.node.wish()).observed
        except TimeoutError:
            told = "\n".join(process.log_tail() for process in self._started)
            raise AssertionError(f"never {phases}: {observed}\n{told}") from None

    def end(self) -> None:
        """End all processes."""
        for process in self._started:
            process.resume()
            process.kill()


@pytest.fixture
async def site(control_plane, postgres_dsn, tmp_path):
    await migrate(postgres_dsn)
    async with real_peer(control_plane) as peer:
        api = Api(peer.access)
        hands, port = KubernetesHands(api, namespace=NAMESPACE), PeerPort(peer)
        await peer.create(CONFIG_MAPS, {"metadata": {"name": "theirs"}, "data": {"config.yaml": FILE}})
        await peer.mig_manager("theirs")
        machine = await a_machine(hands, peer, port)
        node = Reconciled(machine, peer, postgres_dsn)
        await node.begin()
        made = Site(node, control_plane, tmp_path)
        async with living(machine):
            yield made
        made.end()
        for pod in await port.pods(machine.name):
            await port.end_pod(pod)
        await api.close()
        await peer.clean()


@asynccontextmanager
async def living(machine: Machine):
    """Have the programs of the node go on, two steps a second."""

    async def live():
        while True:
            await machine.step()
            await asyncio.sleep(0.5)

    task = asyncio.create_task(live())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_a_process_that_is_killed_midway_is_followed_by_one_that_gets_there(site):
    await site.node.ask(LAYOUT)
    first = site.process("first")
    await site.until("DRAINING")
    first.kill()

    site.process("second")
    await site.until("CONVERGED")

    node = await site.node.machine.node()
    assert await site.node.machine.offers() == SEVENTHS
    assert not node.unschedulable


async def test_a_process_that_is_told_to_stop_in_the_midst_of_an_effect_ends_well_and_is_followed(
    site, control_plane
):
    async with Gate(control_plane.url, ca=str(control_plane.ca)) as gate, Listener(gate) as way:
        await site.node.ask(LAYOUT)
        first = site.process("first", way.url)
        async with asyncio.timeout(180):
            await gate.held.wait()
        await first.stop(patience=20)
        assert first.status == 0, first.log_tail()
        lease = await site.node.peer.request("GET", LEASE)
        assert lease["spec"]["holderIdentity"] == ""

        site.process("second")
        await site.until("CONVERGED")
        gate.open()
        async with asyncio.timeout(60):
            while not gate.statuses:  # noqa: ASYNC110  another process sets no event
                await asyncio.sleep(0.05)

    assert set(gate.statuses) == {409}  # what the first had begun comes late, and does nothing
    assert await site.node.machine.offers() == SEVENTHS


async def test_a_leader_that_is_frozen_mid_step_does_no_harm_when_it_wakes_after_another_took_over(
    site, control_plane
):
    async with Gate(control_plane.url, ca=str(control_plane.ca)) as gate, Listener(gate) as way:
        await site.node.ask(LAYOUT)
        first = site.process("first", way.url)
        async with asyncio.timeout(180):
            await gate.held.wait()
        first.pause()
        site.process("second")
        await site.until("CONVERGED")
        before = await site.node.peer.request("GET", f"{NODES}/{site.node.machine.name}")

        gate.open()
        async with asyncio.timeout(60):
            while not gate.statuses:  # noqa: ASYNC110  another process sets no event
                await asyncio.sleep(0.05)
        first.resume()
        await asyncio.sleep(12)

        after = await site.node.peer.request("GET", f"{NODES}/{site.node.machine.name}")
        assert set(gate.statuses) == {409}
        assert after["spec"] == before["spec"]
        assert after["metadata"]["labels"] == before["metadata"]["labels"]
        observed = (await site.node.wish()).observed
        assert (observed.converged, observed.phase.value) == (True, "CONVERGED")
