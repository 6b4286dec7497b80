"""The demo fleet as a world that lives.

Six lies stand in its data, each told by one system while another knows better:

1. a record outlives its node: robotics holds three T4 nodes on record, and gpu-t4-09 is gone;
2. gpu-h100-11 is idle to Slurm and busy on Kubernetes, gpu-h100-08 the other way round;
3. the queue language-serving has 13Gi allocated of nvidia.com/gpu, which is counted in pieces;
4. gpu-a100-08 offers four slices of two cards, and gpu-t4-03 four shares of two cards, as nvidia.com/gpu;
5. gpu-h200-04 is Ready, and offers none of its eight cards: its device plugin crashes;
6. search was given H100s and has gpu-t4-02 on record with them, and holds T4s.

Beside them stand their kin: every kind of alert that a fleet can show whose sources all answer.
And work waits: a gang for its queue and for room, pods each for another reason, a Job for its quota.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path

from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.operator.simulated import SimulatedCluster
from gateway.simulator.scenario.life import Life
from gateway.simulator.scenario.operations import Operations
from gateway.simulator.scenario.site import Site
from gateway.simulator.scenario.slurm_island import SlurmIsland
from gateway.simulator.slurmrestd import Slurmrestd
from gateway.simulator.world import SimulatedSlurm, World

CLUSTER = "fleet"
SLURM = "island"
_SEED = 7


def demo_fleet(clock: Callable[[], datetime]) -> World:
    """Forty machines, four tenants, twelve workspaces, and the six lies of real fleets."""
    chance = random.Random(_SEED)  # noqa: S311  (a fleet that is the same in every run, no secret)
    site = Site(clock, chance)
    slurm = SlurmIsland(clock)
    api = KubernetesApi(site.store, clock=clock)
    life = Life(site, slurm, clock, chance)
    operations = Operations(site, SimulatedCluster(api.writer), clock)
    return World(
        clusters={CLUSTER: api},
        slurms={SLURM: SimulatedSlurm(api=Slurmrestd(slurm), cluster=CLUSTER)},
        platform_file=Path(__file__).with_name("platform.yaml"),
        life=lambda: _both(life.go_on(), operations.go_on()),
    )


async def _both(*going_on: Coroutine[None, None, None]) -> None:
    async with asyncio.TaskGroup() as group:
        for one in going_on:
            group.create_task(one)
