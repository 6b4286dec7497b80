from dataclasses import replace

from gateway.fleet.change import SetPause
from gateway.fleet.changes.judge import judge
from gateway.fleet.desired import Controller, reconciler_of
from gateway.fleet.merge import RECORDS
from tests.builders import CLUSTER, some_records
from tests.fleet.changes.cases import told
from tests.fleets import NEVER, a_keeper

NAME = reconciler_of(CLUSTER)
RECONCILER = Controller(
    name=NAME,
    leader="a",
    epoch=1,
    paused=False,
    paused_by=None,
    reason=None,
    in_change=0,
    max_in_change=1,
)


def keeper():
    return a_keeper(records=replace(some_records(), controllers={NAME: RECONCILER}))


def test_a_controller_may_be_stopped():
    judged = judge(SetPause(controller=NAME, paused=True), keeper().pin())
    assert (judged.problem, judged.impact) == (None, None)


def test_a_controller_is_one_that_there_is():
    assert told(judge(SetPause(controller="node", paused=True), keeper().pin())) == (
        "NOT_FOUND",
        ("controller",),
        "there is no controller 'node'; known are node-reconciler/fleet",
    )


def test_while_the_records_are_silent_nobody_knows_the_controllers():
    told_of = keeper()
    told_of.touch(RECORDS, NEVER)
    judged = judge(SetPause(controller=NAME, paused=True), told_of.pin())
    assert told(judged)[:2] == ("SOURCE_SILENT", ("controller",))
