import asyncpg
import pytest

from gateway.fleet.change import AssignNode, ReleaseNode, SetCordon, SetPrice
from gateway.fleet.platform import Target
from gateway.fleet.problem import ProblemCode
from gateway.sources.postgres.orders.refusal import refusal
from tests.sources.postgres.running import open_session

GPU_01 = {"cluster": "fleet", "node": "gpu-01"}
CORDON = SetCordon(**GPU_01, cordoned=True)


async def error_of(dsn, statement):
    """What the database says to the API's role."""
    async with open_session(dsn) as session:
        with pytest.raises(asyncpg.PostgresError) as raised:
            await session.execute(statement)
    return raised.value


@pytest.fixture
async def held(api, session):
    """A node that the database holds to its tenant, since the reconciler is at work on it."""
    await session.execute(
        "UPDATE node_record SET observed_phase = 'APPLYING', observed_generation = 1,"
        " observed_layout_converged = 0, observed_message = '' WHERE name = 'gpu-01'"
    )
    return api


@pytest.mark.parametrize(
    "change", [ReleaseNode(**GPU_01), AssignNode(**GPU_01, tenant="speech", target=Target.SLURM)]
)
async def test_a_node_in_change_is_held_by_the_database_and_the_caller_may_come_again(held, change):
    error = await error_of(held, "UPDATE node_record SET tenant_id = NULL WHERE name = 'gpu-01'")
    problem = refusal(error, change)
    assert (problem.code, problem.retryable, problem.path) == (ProblemCode.OTHER, True, ("node",))
    assert problem.message.startswith("node fleet/gpu-01 is in the midst of a change")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE node_record SET observed_phase = 'CONVERGED'",
        "SELECT * FROM no_such_table",
        "SELECT pg_terminate_backend(pg_backend_pid())",
    ],
)
async def test_what_is_wrong_with_us_is_not_told_as_a_mistake_of_the_caller(held, statement):
    assert refusal(await error_of(held, statement), CORDON) is None


async def test_the_words_of_a_constraint_are_passed_on(held):
    error = await error_of(held, "INSERT INTO gpu_price VALUES ('T4-16GB', 'infinity', 1, 'USD')")
    problem = refusal(error, SetPrice(gpu_type="T4-16GB", amount=1, currency="USD"))
    assert problem.code is ProblemCode.INVALID
    assert "gpu_price_effective_from_check" in problem.message
