"""The Slurm source on a real Slurm."""

from collections.abc import AsyncIterator

import pytest

from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.workload import WorkloadState
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.answers import is_served
from gateway.sources.slurm.api import SlurmApi
from gateway.sources.slurm.jobs import read_job
from gateway.sources.slurm.nodes import read_node
from gateway.sources.slurm.versions import ORDER, Slurmrestd
from tests.contracts.slurm_source import SLURM, SlurmSourceContract
from tests.servers.slurm import Slurm


class RealWorld:
    """A Slurm of the test run, changed by Slurm's own commands."""

    def __init__(self, slurm: Slurm) -> None:
        self._slurm = slurm
        self._is_stopped = False
        self.access = SlurmAccess(
            name=SLURM, cluster="fleet", url=slurm.url, user=slurm.user, token=slurm.token
        )

    async def submit(self, gres: str, partition: str, nodes: int) -> int:
        options = (f"--gres={gres}", f"--partition={partition}", f"--nodes={nodes}", "--mem=1G")
        job = await self._slurm.submit(*options)
        await self._slurm.runs(job)
        return job

    async def cancel(self, job: int) -> None:
        await self._slurm.run("scancel", str(job))

    async def drain(self, node: str, reason: str) -> None:
        await self._update(node, "State=DRAIN", f"Reason={reason}")

    async def undrain(self, node: str) -> None:
        await self._update(node, "State=RESUME")

    async def stop_controller(self) -> None:
        self._is_stopped = True
        await self._slurm.controller.stop()

    async def pause_controller(self) -> None:
        self._slurm.controller.pause()

    async def bring_controller_back(self) -> None:
        self._slurm.controller.resume()
        if self._is_stopped:
            await self._slurm.restart_controller()
            await self._slurm.nodes_report()
            self._is_stopped = False

    async def _update(self, node: str, *changes: str) -> None:
        await self._slurm.run("scontrol", "update", f"NodeName={node}", *changes)


@pytest.fixture
async def world(slurm: Slurm) -> AsyncIterator[RealWorld]:
    real = RealWorld(slurm)
    yield real
    await real.bring_controller_back()


class TestRealSlurm(SlurmSourceContract):
    """The contract on the release of this machine."""


async def test_every_version_that_slurmrestd_serves_tells_the_same(world: RealWorld):
    number = await world.submit("gpu:a100:2", "train", 1)
    async with SlurmApi(world.access) as api:
        answers = [(version, await api.get(f"/slurm/v0.0.{version}/ping")) for version in ORDER]
        served = [version for version, answer in answers if is_served(answer)]
        told = [await _told(Slurmrestd(api, order=(version,))) for version in served]
    await world.cancel(number)
    nodes, jobs = told[0]
    assert len(told) >= 2
    assert told == [told[0]] * len(told)
    assert nodes["gpu-a100-01"].gres[0].used == 2
    assert jobs[str(number)].node_gpus == (("gpu-a100-01", 2),)
    assert jobs[str(number)].state is WorkloadState.RUNNING


async def _told(slurmrestd: Slurmrestd) -> tuple[dict[str, SlurmNode], dict[str, SlurmJob]]:
    version, nodes = await slurmrestd.list("nodes")
    _, jobs = await slurmrestd.list("jobs")
    read_nodes = [read_node(text, version, SLURM, at) for at, text in enumerate(nodes)]
    read_jobs = [read_job(text, version, SLURM, at) for at, text in enumerate(jobs)]
    return {item.key: item.record for item in read_nodes}, {item.key: item.record for item in read_jobs}
