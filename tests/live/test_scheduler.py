"""A fresh sample of generated pods on a real kube-scheduler, other ones in every run."""

import secrets

import pytest

from tests.played.generator import generate
from tests.played.judging import differences
from tests.played.player import play, running_scheduler
from tests.servers.control_plane import running_control_plane

FLEETS, ASKS = 2, 9


@pytest.fixture
async def scheduled(cluster_programs, tmp_path):
    async with (
        running_control_plane(cluster_programs, tmp_path) as api,
        running_scheduler(cluster_programs, tmp_path, api),
    ):
        yield api


async def test_says_of_pods_that_nobody_saw_before_what_kube_scheduler_says(scheduled):
    for _ in range(FLEETS):
        seed = secrets.randbits(32)
        played = await play(scheduled, generate(seed, ASKS))

        assert differences(played) == [], f"generate({seed}, {ASKS})"
