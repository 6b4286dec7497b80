import pytest

from gateway.fleet.clock import utc_now
from gateway.simulator.listener import Listener
from gateway.simulator.slurm_failures import SlurmFault
from gateway.sources.slurm.probe import probe
from tests.sources.slurm.simulated_world import SimulatedWorld
from tests.sources.trials import outcomes, told


@pytest.fixture
async def world():
    world = SimulatedWorld(42)
    async with Listener(world.slurmrestd) as listener:
        world.url = listener.url
        yield world


async def test_a_slurm_that_answers_is_told_with_its_versions(world):
    await world.submit("gpu:h100:2", "train", 1)

    trials = await told(probe(world.access, utc_now))

    assert outcomes(trials) == {"reach": "ok", "nodes": "ok", "jobs": "ok"}
    assert trials["reach"].said == "serves v0.0.42; v0.0.42 is spoken"
    assert trials["nodes"].said.endswith("in v0.0.42; the token is good")
    assert trials["jobs"].said == "1"


@pytest.mark.parametrize(
    ("fault", "at", "said"),
    [
        (SlurmFault.BAD_TOKEN, "reach", "Protocol authentication error"),
        (SlurmFault.UNAUTHORIZED, "reach", "Authentication failure"),
        (SlurmFault.CONTROLLER_STOPPED, "nodes", "slurmctld"),
        (SlurmFault.EMPTY, "nodes", "slurmctld"),
    ],
)
async def test_what_fails_is_told_with_a_fix(world, fault, at, said):
    world.slurmrestd.fault = fault

    trials = await told(probe(world.access, utc_now))

    assert list(outcomes(trials).items())[-1] == (at, "FAILED")
    assert said in trials[at].said
    assert trials[at].fix


async def test_a_node_at_work_without_a_job_is_the_trace_of_a_hidden_one(world):
    mine = await world.submit("gpu:h100:2", "train", 1)
    other = await world.submit("gpu:a100:2", "train", 1)
    everything = world.answer
    world.answer = lambda version, what: without(other, everything, version, what)

    trial = (await told(probe(world.access, utc_now)))["jobs"]

    assert mine != other
    assert trial.outcome.value == "warning"
    assert trial.said.startswith("1, and none of them holds gpu-a100-01, which is at work")


def without(job, everything, version, what):
    """An answer as PrivateData makes it for a user who owns only the other jobs."""
    hidden = world_of(everything)._jobs
    if what != "jobs":
        return everything(version, what)
    taken = hidden.pop(job)
    try:
        return everything(version, what)
    finally:
        hidden[job] = taken


def world_of(method):
    return method.__self__
