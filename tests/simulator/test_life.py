import random
from datetime import UTC, datetime

import pytest

from gateway.simulator.scenario.inventory import MACHINES
from gateway.simulator.scenario.life import Life
from gateway.simulator.scenario.site import Site
from gateway.simulator.scenario.slurm_island import SlurmIsland
from gateway.simulator.scenario.work import WORK

NOW = datetime(2026, 11, 29, 19, 10, tzinfo=UTC)


class Stopped(Exception):
    """The test has seen enough."""


@pytest.fixture
def chance():
    return random.Random(1)  # noqa: S311  (the same in every run, no secret)


@pytest.fixture
def site(chance):
    return Site(lambda: NOW, chance)


@pytest.fixture
def slurm():
    return SlurmIsland(lambda: NOW)


@pytest.fixture
def life(site, slurm, chance):
    return Life(site, slurm, lambda: NOW, chance)


def test_pods_come_and_go_within_what_their_work_asks_for(site, life):
    before = set(site.pods)
    for _ in range(200):
        life.step()

    assert set(site.pods) != before
    for work in WORK:
        assert work.pods - 1 <= sum(pod.work is work for pod in site.pods.values()) <= work.pods


def test_no_machine_is_filled_over_its_brim(site, life):
    for _ in range(200):
        life.step()
    for machine in MACHINES:
        for resource, amount in machine.allocatable.items():
            here = [
                pod
                for pod in site.pods.values()
                if pod.node == machine.name and pod.work.resource == resource
            ]
            assert sum(pod.work.devices for pod in here) <= amount


def test_the_queue_tells_of_each_step(site, life):
    for _ in range(50):
        life.step()
    queues = site.store.collection("scheduling.volcano.sh/v1beta1", "queues")
    running = sum(pod.work.queue == "robotics-simulation" for pod in site.pods.values())

    allocated = queues.named("/robotics-simulation").body["status"]["allocated"]
    assert allocated["nvidia.com/mig-1g.10gb"] == str(running)


def test_short_jobs_follow_each_other(slurm, life):
    numbers = set(slurm.jobs)
    for _ in range(20):
        life.step()

    assert len(set(slurm.jobs) - numbers) == len(numbers - set(slurm.jobs)) == 1
    assert slurm.free("hpc-h100-02") == 4


async def test_life_pauses_between_its_steps(site, life):
    pauses = []

    async def sleep(seconds):
        if len(pauses) == 3:
            raise Stopped
        pauses.append(seconds)

    before = site.store.revision
    with pytest.raises(Stopped):
        await life.go_on(sleep)
    assert pauses == [0.7, 0.7, 0.7]
    assert site.store.revision > before
