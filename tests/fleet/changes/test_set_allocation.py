from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.account import Tariff, balances
from gateway.fleet.change import SetAllocation
from gateway.fleet.changes.judge import judge
from gateway.fleet.line import Holdings
from gateway.fleet.merge import RECORDS
from gateway.fleet.problem import ExceedsCapacity, ProblemCode
from gateway.fleet.unknown import Unknown, undetermined
from tests.builders import a_node, a_pod, a_queue, a_record, a_workspace, some_records
from tests.fleet.changes.cases import told
from tests.fleets import NEVER, NODES, PODS, a_keeper
from tests.gpu_labels import A100, GPU, H100, mixed, whole

SPACES = [
    a_workspace(given={H100: 4}),
    a_workspace("serving", {H100: 3}, namespaces=["serving"], queue="serving"),
]


def keeper(pods=(), spaces=SPACES, nodes=None, **more):
    """A tenant with eight H100: four of training, three of serving."""
    machines = [a_node()] if nodes is None else nodes
    records = some_records([a_record(one.name) for one in machines], spaces)
    return a_keeper(machines, pods, records, **more)


def to_give(cards, acknowledged=(), gpu_type=H100, workspace="training"):
    return SetAllocation(
        tenant="vision",
        workspace=workspace,
        gpu_type=gpu_type,
        cards=cards,
        acknowledged=frozenset(acknowledged),
    )


def test_what_is_healthy_and_not_given_to_others_can_be_given():
    judged = judge(to_give(5), keeper().pin())
    assert (judged.problem, judged.change.healthy) == (None, 8)
    assert (judged.impact.workloads, judged.impact.evicts, judged.impact.cards) == ((), False, 1)
    assert judged.impact.message == "training has 5 H100-80GB from then on, where it had 4"


def test_more_than_that_is_refused_with_the_line_of_the_account():
    fleet = keeper().pin()
    problem = judge(to_give(6), fleet).problem
    assert isinstance(problem, ExceedsCapacity)
    assert (problem.code, problem.path) == (ProblemCode.EXCEEDS_CAPACITY, ("cards",))
    assert problem.message == (
        "there are 8 healthy H100-80GB of vision, 3 of them given to others: 5 can be given"
    )
    platform = fleet.listings.platform
    holdings = Holdings(
        owner=platform.tenants["vision"].id,
        nodes=tuple(fleet.listings.nodes.group("tenant", "vision").values()),
        workspaces=tuple(SPACES),
        slurm_silence=None,
    )
    tariff = Tariff(types=platform.gpu_types, prices={}, now=fleet.now)
    assert problem.balance in balances(holdings, tariff)
    assert (problem.balance.healthy, problem.balance.allocated, problem.balance.available) == (8, 7, 1)


def test_cards_that_are_lost_are_not_given():
    fleet = keeper(nodes=[a_node(allocatable={GPU: 6})]).pin()
    assert judge(to_give(5), fleet).problem.message.endswith("3 of them given to others: 3 can be given")


def test_where_too_much_was_given_nothing_more_can_be():
    fleet = keeper(nodes=[a_node(allocatable={GPU: 2})]).pin()
    assert judge(to_give(5), fleet).problem.message.endswith(": 0 can be given")
    assert judge(to_give(3), fleet).problem is None


def test_of_a_type_that_a_tenant_does_not_hold_there_is_nothing_to_give():
    problem = judge(to_give(1, gpu_type=A100), keeper().pin()).problem
    assert problem.message == (
        "there are 0 healthy A100-80GB of vision, 0 of them given to others: 0 can be given"
    )
    assert (problem.balance.gpu_type.name, problem.balance.physical) == (A100, 0)


def test_another_cluster_has_nothing_to_give_here():
    far = a_workspace("far", {H100: 8}, cluster="other", namespaces=["far"])
    fleet = keeper(spaces=[*SPACES, far]).pin()
    assert judge(to_give(5), fleet).problem is None
    assert judge(to_give(9, workspace="far"), fleet).problem.message.startswith("there are 0 healthy")


UNCOUNTED = a_node("gpu-02", labels={"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}, capacity={GPU: 8})


def test_more_is_not_given_where_nobody_knows_how_many_are_healthy():
    judged = judge(to_give(5), keeper(nodes=[a_node(), UNCOUNTED]).pin())
    assert (judged.problem.code, judged.problem.path) == (ProblemCode.UNDETERMINED, ("cards",))
    assert judged.problem.message.startswith("how many healthy H100-80GB of vision there are is not known: ")
    assert judged.change.healthy is None


def test_less_is_given_back_even_there():
    assert judge(to_give(3), keeper(nodes=[a_node(), UNCOUNTED]).pin()).problem is None


def test_while_the_cluster_is_silent_nothing_more_is_given():
    told_of = keeper()
    told_of.touch(NODES, NEVER)
    judged = judge(to_give(5), told_of.pin())
    assert (judged.problem.code, judged.problem.retryable) == (ProblemCode.SOURCE_SILENT, True)


HOLDERS = [a_pod("a", asks={GPU: 2}), a_pod("b", asks={GPU: 1})]


def test_what_is_held_must_be_acknowledged_before_it_is_taken_back():
    judged = judge(to_give(2), keeper(HOLDERS).pin())
    assert judged.problem.code is ProblemCode.WORKLOADS_RUNNING
    assert judged.problem.unacknowledged == judged.impact.workloads == tuple(HOLDERS)
    assert judged.problem.message.startswith(
        "work holds cards that would be taken back: pod training/a, pod training/b; "
    )
    assert not judged.impact.evicts
    assert judged.impact.message == (
        "training has 2 H100-80GB from then on, where it had 4; "
        "2 workloads (2 of which nothing makes again) would hold more than that, until somebody reclaims it"
    )
    assert judge(to_give(2, [one.id for one in HOLDERS]), keeper(HOLDERS).pin()).problem is None


def test_what_is_not_held_may_be_taken_back():
    judged = judge(to_give(3), keeper(HOLDERS).pin())
    assert (judged.problem, judged.impact.workloads) == (None, ())


def test_a_queue_that_says_more_than_the_pods_decides():
    fleet = keeper(HOLDERS, queues=[a_queue(allocated={GPU: "4"})]).pin()
    assert judge(to_give(3), fleet).problem.unacknowledged == tuple(HOLDERS)


def test_giving_more_takes_nothing_from_work_that_holds_more_still():
    many = [a_pod("a", asks={GPU: 6})]
    assert judge(to_give(5), keeper(many).pin()).problem is None


NOT_ITS = {
    "of another workspace": a_pod("a", asks={GPU: 4}, namespace="serving"),
    "of another type": a_pod("a", "gpu-02", asks={GPU: 4}),
    "a slice": a_pod("a", "gpu-02", asks={"nvidia.com/mig-1g.10gb": 1}),
    "ended": a_pod("a", asks={GPU: 4}, phase="Succeeded"),
    "waiting": a_pod("a", None, asks={GPU: 4}),
}


@pytest.mark.parametrize("pod", NOT_ITS.values(), ids=NOT_ITS)
def test_work_that_holds_no_such_card_is_not_asked_for(pod):
    fleet = keeper([pod], nodes=[a_node(), a_node("gpu-02", labels=mixed(8, A100))]).pin()
    assert judge(to_give(0), fleet).problem is None


MAY_BE = {
    "on a node of no known type": a_pod("a", "gpu-03", asks={GPU: 4}),
    "on a node that nobody knows": a_pod("a", "gone", asks={GPU: 4}),
    "of no known count": a_pod("a", asks={GPU: undetermined(System.KUBERNETES, "half a card")}),
}


@pytest.mark.parametrize("pod", MAY_BE.values(), ids=MAY_BE)
def test_work_that_may_hold_such_cards_must_be_acknowledged(pod):
    strange = a_node("gpu-03", labels=whole() | {"nvidia.com/gpu.product": "NVIDIA-X1"})
    fleet = keeper([pod], nodes=[a_node(), strange]).pin()
    assert judge(to_give(1), fleet).problem.unacknowledged == (pod,)


def test_while_pods_are_silent_nobody_knows_what_is_held():
    told_of = keeper()
    told_of.touch(PODS, NEVER)
    judged = judge(to_give(3), told_of.pin())
    assert judged.problem.code is ProblemCode.SOURCE_SILENT
    assert isinstance(judged.impact.workloads, Unknown)
    assert judge(to_give(5), told_of.pin()).problem is None


def test_what_is_given_already_is_no_change():
    judged = judge(to_give(4), keeper([a_pod(asks={GPU: 6})]).pin())
    assert (judged.problem, judged.impact.workloads) == (None, ())
    assert judged.impact.message == "training has 4 H100-80GB already"


NOWHERE = {
    "tenant": (
        replace(to_give(1), tenant="vison"),
        ("workspace", "tenant"),
        "there is no tenant 'vison'; there is vision",
    ),
    "workspace": (
        to_give(1, workspace="trainng"),
        ("workspace", "name"),
        "there is no workspace of vision called 'trainng'; there is training, serving",
    ),
    "type": (
        to_give(1, gpu_type="H100-80"),
        ("gpuType",),
        "there is no GPU type 'H100-80'; there is H100-80GB, ",
    ),
}


@pytest.mark.parametrize(("change", "path", "message"), NOWHERE.values(), ids=NOWHERE)
def test_what_is_not_there_is_named_with_what_is(change, path, message):
    judged = judge(change, keeper().pin())
    assert told(judged)[:2] == ("NOT_FOUND", path)
    assert judged.problem.message.startswith(message)
    assert judged.impact is None


@pytest.mark.parametrize(
    ("change", "path"),
    [(to_give(-1), ("cards",)), (to_give(1, ["x"]), ("acknowledgedWorkloads",))],
    ids=["fewer than none", "no id"],
)
def test_what_makes_no_sense_is_refused(change, path):
    assert told(judge(change, keeper().pin()))[:2] == ("INVALID", path)


def test_while_the_records_are_silent_nothing_is_given():
    told_of = keeper()
    told_of.touch(RECORDS, NEVER)
    judged = judge(to_give(5), told_of.pin())
    assert told(judged)[:2] == ("SOURCE_SILENT", ("workspace",))
    assert isinstance(judged.impact.workloads, Unknown)
