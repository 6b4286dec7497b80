"""What goes on in the demo by itself: pods come and go, and now and then a job of Slurm does."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import datetime

from gateway.simulator.scenario.site import Site
from gateway.simulator.scenario.slurm_island import SlurmIsland
from gateway.simulator.scenario.work import WORK

_PAUSE_SECONDS = 0.7
_STEPS_PER_JOB = 20
_PASSING = tuple(work for work in WORK if work.passing)
_ISLAND = "hpc-h100-02"
"""Where short jobs of Slurm run one after another."""


class Life:
    """The steps of time, each from the same chance in every run."""

    def __init__(
        self, site: Site, slurm: SlurmIsland, clock: Callable[[], datetime], chance: random.Random
    ) -> None:
        self._site = site
        self._slurm = slurm
        self._clock = clock
        self._chance = chance
        self._steps = 0

    async def go_on(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Step after step, until cancelled."""
        while True:
            await sleep(_PAUSE_SECONDS)
            self.step()

    def step(self) -> None:
        """One pod goes, or one comes where there is room and fewer than its work asks for."""
        self._steps += 1
        work = self._chance.choice(_PASSING)
        running = [key for key, pod in self._site.pods.items() if pod.work is work]
        if len(running) < work.pods:
            self._site.start(work, self._clock())
        elif running:
            self._site.stop(self._chance.choice(running))
        self._site.count(work)
        if self._steps % _STEPS_PER_JOB == 0:
            self._turn_over_jobs()

    def _turn_over_jobs(self) -> None:
        """The oldest short job ends and one like it begins, under the next number."""
        ended = next(job for job in self._slurm.jobs.values() if job.node == _ISLAND)
        self._slurm.follow(ended, self._clock())
