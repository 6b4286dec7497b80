import pytest

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable
from gateway.simulator.listener import Listener
from gateway.simulator.slurm_failures import SlurmFault
from gateway.simulator.slurmrestd import Recorded
from gateway.simulator.slurmrestd import Slurmrestd as Simulated
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.api import SlurmApi
from gateway.sources.slurm.versions import Slurmrestd
from tests.sources.slurm.recordings import VERSIONS, bodies

PINGS_ONLY = {("v0.0.36", "ping"): b"{}", ("v0.0.39", "ping"): b"{}"}


def serving(*versions: int) -> Simulated:
    return Simulated(Recorded(bodies(*versions)))


def api(listener: Listener) -> SlurmApi:
    return SlurmApi(SlurmAccess(name="lab", cluster="fleet", url=listener.url))


async def version_of(simulated: Simulated) -> int:
    async with Listener(simulated) as listener, api(listener) as opened:
        version, nodes = await Slurmrestd(opened).list("nodes")
    assert len(nodes) == 8
    return version


async def failure_of(simulated: Simulated, kind: str = "nodes") -> SourceError:
    async with Listener(simulated) as listener, api(listener) as opened:
        with pytest.raises(SourceError) as caught:
            await Slurmrestd(opened).list(kind)
    return caught.value


@pytest.mark.parametrize("version", VERSIONS)
async def test_each_version_is_spoken_where_no_other_is_served(version: int):
    assert await version_of(serving(version)) == version


@pytest.mark.parametrize(
    ("served", "chosen"),
    [
        ((37, 38), 38),
        ((38, 40), 40),
        ((40, 41), 41),
        ((40, 41, 42), 42),
        ((42, 43, 44, 45), 42),
        ((43, 44, 45), 45),
        ((41, 43, 44), 44),
    ],
)
async def test_the_version_that_spans_most_releases_is_preferred_then_the_newest(
    served: tuple[int, ...], chosen: int
):
    assert await version_of(serving(*served)) == chosen


async def test_a_version_that_hides_drains_is_refused_with_what_to_do():
    failure = await failure_of(Simulated(Recorded({("v0.0.36", "ping"): b"{}"})))
    assert type(failure) is SourceMisread
    assert "v0.0.36 is not read, since it hides that nodes are drained" in str(failure)
    assert "-s openapi/v0.0.38" in str(failure)


async def test_a_version_that_nobody_recorded_is_refused_with_what_to_do():
    failure = await failure_of(Simulated(Recorded(PINGS_ONLY)))
    assert type(failure) is SourceMisread
    assert "v0.0.39 is not read" in str(failure)
    assert "upgrade to Slurm 23.11" in str(failure)


async def test_versions_that_are_refused_do_no_harm_beside_a_better_one():
    assert await version_of(Simulated(Recorded(PINGS_ONLY | bodies(37)))) == 37


async def test_a_server_that_is_no_slurmrestd_is_told_from_one_that_is_silent():
    failure = await failure_of(Simulated(Recorded({})))
    assert type(failure) is SourceMisread
    assert "serves none of v0.0.37, v0.0.38, v0.0.40, v0.0.41, v0.0.42" in str(failure)


@pytest.mark.parametrize("fault", [SlurmFault.CONTROLLER_STOPPED, SlurmFault.CONTROLLER_HUNG])
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_ping_that_finds_no_controller_is_no_contact(version: int, fault: SlurmFault):
    simulated = serving(version)
    simulated.fault = fault
    failure = await failure_of(simulated)
    assert type(failure) is SourceUnavailable
    assert "slurmctld" in str(failure)


@pytest.mark.parametrize("pings", ["[]", "[7]", '[{"hostname": 7}]', '[{"responding": "true"}]'])
async def test_a_ping_that_says_nothing_is_no_contact(pings: str):
    answers = bodies(42) | {("v0.0.42", "ping"): f'{{"pings": {pings}}}'.encode()}
    failure = await failure_of(Simulated(Recorded(answers)))
    assert type(failure) is SourceUnavailable
    assert "slurmctld (nowhere) does not" in str(failure)


async def test_one_of_several_controllers_that_answers_is_enough():
    pings = b'{"pings": [{"hostname": "a", "responding": false}, {"hostname": "b", "responding": true}]}'
    assert await version_of(Simulated(Recorded(bodies(42) | {("v0.0.42", "ping"): pings}))) == 42


@pytest.mark.parametrize("version", VERSIONS)
async def test_no_credentials_are_a_refusal_from_the_first_question_on(version: int):
    simulated = serving(version)
    simulated.fault = SlurmFault.UNAUTHORIZED
    assert type(await failure_of(simulated)) is SourceRefused


async def test_what_is_chosen_is_kept_until_it_fails_and_then_found_anew():
    simulated = serving(42, 43)
    async with Listener(simulated) as listener, api(listener) as opened:
        slurmrestd = Slurmrestd(opened)
        assert (await slurmrestd.list("nodes"))[0] == 42
        simulated.faults["ping"] = SlurmFault.CONTROLLER_STOPPED
        assert (await slurmrestd.list("nodes"))[0] == 42
        simulated.answers = Recorded(bodies(43))
        with pytest.raises(SourceMisread, match="HTTP 404"):
            await slurmrestd.list("nodes")
        simulated.faults.clear()
        assert (await slurmrestd.list("nodes"))[0] == 43


async def test_a_failed_list_is_asked_for_again_in_the_version_that_worked():
    simulated = serving(38)
    async with Listener(simulated) as listener, api(listener) as opened:
        slurmrestd = Slurmrestd(opened)
        await slurmrestd.list("nodes")
        simulated.faults["nodes"] = SlurmFault.CONTROLLER_STOPPED
        with pytest.raises(SourceUnavailable):
            await slurmrestd.list("nodes")
        simulated.faults.clear()
        simulated.answers = Recorded(bodies(38, 42))
        assert (await slurmrestd.list("nodes"))[0] == 38
