from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.change import ReleaseNode, SetCordon, SetMigLayout
from gateway.fleet.changes.judge import judge
from gateway.fleet.merge import RECORDS
from gateway.fleet.platform import Target
from gateway.fleet.problem import ProblemCode
from gateway.fleet.unknown import Unknown, undetermined
from tests.builders import CLUSTER, a_node, a_pod, a_record, some_records
from tests.fleet.changes.cases import GPU_01, a_wish, told
from tests.fleets import NEVER, NODES, a_fleet, a_keeper

CLOSE, OPEN = SetCordon(**GPU_01, cordoned=True), SetCordon(**GPU_01, cordoned=False)


def a_closed_node(by):
    return replace(a_node(cordoned=True), cordoned_by=by)


def site(node=None, record=None, pods=()):
    return a_fleet([node or a_node()], pods, some_records([record or a_record()]))


def test_a_cordon_hurts_nobody():
    judged = judge(CLOSE, site(pods=[a_pod()]))
    assert judged.problem is None
    assert (judged.impact.workloads, judged.impact.not_recreated, judged.impact.evicts) == ((), (), False)
    assert judged.impact.cards == 8
    assert judged.impact.message == "gpu-01 takes no new work; what runs there goes on"


def test_an_opened_node_takes_new_work_again():
    judged = judge(OPEN, site(a_closed_node("gpu-gateway"), a_wish(cordoned=True)))
    assert (judged.problem, judged.impact.message) == (None, "gpu-01 takes new work again")


def test_a_cordon_of_somebody_else_is_not_given_back():
    judged = judge(OPEN, site(a_closed_node("kubectl")))
    assert told(judged) == (
        "FOREIGN_OWNER",
        ("cordoned",),
        "gpu-01 was cordoned by kubectl, not by the gateway: have it uncordoned there",
    )


def test_the_own_cordon_may_be_given_back_beside_that_of_somebody_else():
    judged = judge(OPEN, site(a_closed_node("kubectl"), a_wish(cordoned=True)))
    assert judged.problem is None
    assert judged.impact.message == "gpu-01 stays closed to new work, since kubectl has cordoned it"


@pytest.mark.parametrize("owner", ["gpu-gateway", undetermined(System.KUBERNETES, "no managedFields")])
def test_whoever_else_holds_a_cordon_must_be_to_be_seen(owner):
    assert judge(OPEN, site(a_closed_node(owner))).problem is None


def test_a_node_may_be_closed_beside_somebody_else():
    assert judge(CLOSE, site(a_closed_node("kubectl"))).problem is None


def test_a_node_that_kubernetes_does_not_know_may_be_closed_to_come():
    assert judge(CLOSE, a_fleet(records=some_records([a_record()]))).problem is None
    assert judge(OPEN, a_fleet(records=some_records([a_record()]))).problem is None


NOWHERE = {
    "cluster": (
        SetCordon(cluster="fleeet", node="gpu-01", cordoned=True),
        ("node", "cluster"),
        "there is no cluster 'fleeet'; there is fleet",
    ),
    "node": (
        SetCordon(cluster=CLUSTER, node="gpu-1", cordoned=True),
        ("node", "name"),
        "there is no node of fleet called 'gpu-1'; there is gpu-01",
    ),
}


@pytest.mark.parametrize(("change", "path", "message"), NOWHERE.values(), ids=NOWHERE)
def test_what_is_not_there_is_named_with_what_is(change, path, message):
    judged = judge(change, site())
    assert told(judged) == ("NOT_FOUND", path, message)
    assert judged.impact is None


def test_of_many_nodes_the_nearest_names_are_told():
    names = ["gpu-01", "gpu-11", "gpu-21", "gpu-31", "other"]
    fleet = a_fleet([a_node(name) for name in names])
    message = judge(SetCordon(cluster=CLUSTER, node="gpu-1", cordoned=True), fleet).problem.message
    assert message.endswith("; there is gpu-31, gpu-21, gpu-11, and others")


def test_in_an_empty_fleet_there_is_nothing_to_name():
    assert judge(CLOSE, a_fleet()).problem.message == (
        "there is no node of fleet called 'gpu-01'; there is none at all"
    )


def test_a_node_without_a_record_has_nobody_to_ask_for_it():
    assert judge(CLOSE, a_fleet([a_node()])).problem.code is ProblemCode.NO_RECORD


def test_a_node_of_slurm_is_not_closed_by_kubernetes():
    assert judge(CLOSE, site(record=a_record(target=Target.SLURM))).problem.code is ProblemCode.WRONG_TARGET


def test_a_generation_is_for_whoever_writes_to_judge():
    change = SetCordon(**GPU_01, cordoned=True, if_generation=9)
    judged = judge(change, site())
    assert (judged.problem, judged.change) == (None, change)


def silent(key):
    keeper = a_keeper([a_node()], [], some_records([a_record()]))
    keeper.touch(key, NEVER)
    return keeper.pin()


def test_while_the_records_are_silent_nothing_is_decided():
    judged = judge(CLOSE, silent(RECORDS))
    assert judged.problem.code is ProblemCode.SOURCE_SILENT
    assert judged.problem.retryable
    assert judged.problem.message.startswith("what is recorded of node fleet/gpu-01 is not known: ")


def test_while_a_cluster_is_silent_a_node_may_be_there():
    judged = judge(SetCordon(cluster=CLUSTER, node="gpu-02", cordoned=True), silent(NODES))
    assert judged.problem.code is ProblemCode.SOURCE_SILENT
    assert judged.problem.message.startswith("whether there is a node fleet/gpu-02 is not known: ")
    assert isinstance(judged.impact.workloads, Unknown)


@pytest.mark.parametrize("change", [CLOSE, OPEN, ReleaseNode(**GPU_01), SetMigLayout(**GPU_01, layout=None)])
def test_what_was_asked_and_cannot_be_read_is_not_built_on(change):
    why = undetermined(System.PLATFORM, "node_record fleet/gpu-01: desired_layout: 7; correct it first")
    judged = judge(change, site(record=replace(a_record(), desired=why, observed=why)))
    assert told(judged) == (
        "UNDETERMINED",
        ("node",),
        f"what is recorded of node fleet/gpu-01 is not known: {why.reason}",
    )
    assert not judged.problem.retryable


def test_while_the_cluster_is_silent_nobody_says_that_an_opened_node_takes_new_work():
    told_of = a_keeper([a_node()], records=some_records([a_wish(cordoned=True)]))
    told_of.touch(NODES, NEVER)
    assert judge(OPEN, told_of.pin()).impact.message == (
        "gpu-01 is opened again by the gateway; whether another keeps it closed is not known"
    )
