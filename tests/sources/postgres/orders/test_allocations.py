import pytest

from gateway.fleet.change import PlannedChange, SetAllocation, Written
from gateway.fleet.problem import ProblemCode

H100 = "H100-80GB"


def give(cards, workspace="training", *, healthy=8, if_generation=None):
    return SetAllocation(
        tenant="vision",
        workspace=workspace,
        gpu_type=H100,
        cards=cards,
        healthy=healthy,
        if_generation=if_generation,
    )


def cards(before, after):
    return (PlannedChange(field="cards", before=str(before), after=str(after)),)


async def test_cards_are_given_raised_and_taken_back_and_the_next_read_shows_it(replica):
    assert await replica.ask(give(4)) == Written(changes=cards(0, 4), generation=1)
    assert await replica.ask(give(6)) == Written(changes=cards(4, 6), generation=2)
    assert await replica.ask(give(6)) == Written(changes=(), generation=2)
    (given,) = replica.records.workspaces["vision", "training"].allocations
    assert (given.cards, given.generation) == (6, 2)

    assert await replica.ask(give(0)) == Written(changes=cards(6, 0), generation=0)
    assert replica.records.workspaces["vision", "training"].allocations == ()
    assert await replica.ask(give(0)) == Written(changes=(), generation=0)


async def test_an_allocation_given_anew_is_not_taken_for_the_one_before(replica):
    await replica.ask(give(4))
    await replica.ask(give(0))
    assert (await replica.ask(give(4, if_generation=0))).generation == 2
    problem = await replica.ask(give(5, if_generation=1))
    assert (problem.code, problem.current_generation) == (ProblemCode.GENERATION_CONFLICT, 2)


async def test_a_tenant_gives_no_more_than_its_healthy_cards_over_all_its_workspaces(replica):
    await replica.ask(give(5))
    problem = await replica.ask(give(4, "serving"))
    assert (problem.code, problem.path) == (ProblemCode.EXCEEDS_CAPACITY, ("cards",))
    assert problem.message.startswith(f"vision has no 4 healthy cards of {H100} left for serving")
    assert (await replica.ask(give(3, "serving"))).generation == 1
    assert replica.records.workspaces["vision", "training"].allocations[0].cards == 5


async def test_cards_are_given_back_however_few_are_healthy(replica):
    await replica.ask(give(6))
    assert (await replica.ask(give(5, healthy=2))).changes == cards(6, 5)
    assert (await replica.ask(give(6, healthy=2))).code is ProblemCode.EXCEEDS_CAPACITY


@pytest.mark.parametrize(("tenant", "workspace"), [("vision", "nowhere"), ("nobody", "training")])
async def test_a_workspace_that_is_not_there_gets_nothing_and_is_named(replica, tenant, workspace):
    change = SetAllocation(tenant=tenant, workspace=workspace, gpu_type=H100, cards=1, healthy=8)
    problem = await replica.ask(change)
    assert (problem.code, problem.path) == (ProblemCode.NOT_FOUND, ("workspace",))
    assert problem.message.startswith(f"tenant {tenant!r} has no workspace {workspace!r}")


async def test_fewer_than_no_cards_are_refused_by_the_database_itself(replica):
    problem = await replica.ask(give(-1))
    assert problem.code is ProblemCode.INVALID
    assert "gpu_allocation_cards_check" in problem.message
