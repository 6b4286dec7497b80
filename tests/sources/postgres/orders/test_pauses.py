from gateway.fleet.change import SetPause
from gateway.fleet.problem import ProblemCode

FLEET = "node-reconciler/fleet"


async def test_a_controller_is_paused_in_the_callers_name_and_goes_on_without_it(replica):
    outcome = await replica.ask(SetPause(controller=FLEET, paused=True, reason="fire"))
    assert [(one.field, one.after) for one in outcome.changes] == [("paused", "true"), ("reason", "fire")]
    held = replica.records.controllers[FLEET]
    assert (held.paused, held.paused_by, held.reason) == (True, "ada", "fire")
    assert not replica.records.controllers["node-reconciler/east"].paused

    await replica.ask(SetPause(controller=FLEET, paused=False), actor="bob")
    held = replica.records.controllers[FLEET]
    assert (held.paused, held.paused_by, held.reason) == (False, None, None)


async def test_a_pause_that_is_there_stays_the_one_of_who_made_it(replica):
    await replica.ask(SetPause(controller=FLEET, paused=True, reason="fire"))
    assert (
        await replica.ask(SetPause(controller=FLEET, paused=True, reason="fire"), actor="bob")
    ).changes == ()
    assert replica.records.controllers[FLEET].paused_by == "ada"


async def test_a_stop_waits_for_no_other_controller(replica, session):
    async with session.transaction():
        await session.execute("SELECT FROM controller WHERE name = 'node-reconciler/east' FOR UPDATE")
        assert (await replica.ask(SetPause(controller=FLEET, paused=True))).changes


async def test_an_unknown_controller_is_answered_with_those_that_there_are(replica):
    problem = await replica.ask(SetPause(controller="reconciler", paused=True))
    assert problem.code is ProblemCode.NOT_FOUND
    assert problem.message == (
        "there is no controller 'reconciler'; known are node-reconciler/east, node-reconciler/fleet"
    )
