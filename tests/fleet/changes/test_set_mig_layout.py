from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.changes.judge import judge
from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.fleet.layouts import LayoutFile, LayoutRule
from gateway.fleet.platform import Target
from gateway.fleet.problem import ProblemCode
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from tests.builders import CLUSTER, a_job, a_node, a_pod, a_record, a_slurm_node, some_records
from tests.fleet.changes.cases import a_wish, by_cards, in_progress, to_cut, told
from tests.fleets import FRESH, NEVER, NODES, PODS, SLURM_JOBS, a_fleet, a_keeper
from tests.gpu_labels import GPU, T4, mixed, shared, single, whole
from tests.listed import a_gpu, a_slice

A100 = "A100-40GB"
LAYOUTS = SourceKey(System.KUBERNETES, CLUSTER, "migconfigs")
SLICES = SourceKey(System.KUBERNETES, CLUSTER, "resourceslices")
SEVENTHS = by_cards((None, {"1g.5gb": 7}))
SEED = by_cards((None, {"1g.5gb": 2, "3g.20gb": 1, "7g.40gb": 1}))


def keeper(labels=None, pods=(), record=None, jobs=(), **node):
    return a_keeper(
        [a_node(labels=mixed(2, A100) if labels is None else labels, **node)],
        pods,
        some_records([record or a_record()]),
        slurm_nodes=[a_slurm_node()] if jobs else [],
        jobs=jobs,
    )


def site(*said, **how):
    return keeper(*said, **how).pin()


def test_a_layout_that_no_card_can_have_names_the_card_the_reason_and_the_profiles_that_there_are():
    problem = judge(to_cut(SEED), site(mixed(1, A100))).problem
    assert problem.code is ProblemCode.INVALID_MIG_LAYOUT
    assert (problem.card, problem.path) == (0, ("layout", "cards", "0", "profiles"))
    assert problem.message.startswith(
        "gpu-01: 2 x 1g.5gb, 1 x 3g.20gb, 1 x 7g.40gb take 14 parts of memory, and one A100-40GB has 8"
    )
    assert problem.valid_profiles == CATALOGUE[A100].mig_profiles


def test_the_same_slices_divided_over_two_cards_are_fine():
    layout = by_cards(((0,), {"7g.40gb": 1}), ((1,), {"3g.20gb": 1, "1g.5gb": 2}))
    judged = judge(to_cut(layout), site())
    assert (judged.problem, judged.impact.workloads, judged.impact.cards) == (None, (), 2)
    assert judged.impact.message == "the cards of gpu-01 are cut anew, which takes them from no workloads"


def test_cards_that_cannot_be_cut_have_no_valid_profile():
    problem = judge(to_cut(SEVENTHS), site(whole(8, T4))).problem
    assert (problem.code, problem.valid_profiles) == (ProblemCode.INVALID_MIG_LAYOUT, ())
    assert problem.message == "gpu-01: the cards of this node cannot be cut: T4-16GB"


def test_a_change_is_completed_with_the_uid_and_with_names_in_their_own_form():
    layout = by_cards(((0,), {"1g.5gb.me": 1}), ((1,), {}))
    change = judge(to_cut(layout), site()).change
    assert change.node_uid == "uid-gpu-01"
    assert change.layout == by_cards(((0,), {"1g.5gb+me": 1}), ((1,), {}))
    assert judge(to_cut(MigLayout(config="all-1g.5gb+me")), site()).change.layout.config == "all-1g.5gb.me"


def a_card(*profiles, devices=None):
    counts = tuple(ProfileCount(profile=name, count=count) for name, count in profiles)
    return CardLayout(devices=devices, profiles=counts)


SENSELESS = {
    "neither": (MigLayout(), (), "give either the name of a configuration or a layout card by card"),
    "both": (MigLayout(config="a", cards=()), (), "give either the name"),
    "no name": (MigLayout(config="all cards"), ("config",), "'all cards' is no name of a configuration"),
    "an empty name": (MigLayout(config=""), ("config",), "'' is no name of a configuration"),
    "a long name": (MigLayout(config="a" * 64), ("config",), "it must be the value of a label"),
    "no card": (MigLayout(cards=()), ("cards",), "name at least one card"),
    "no device": (
        MigLayout(cards=(a_card(devices=()),)),
        ("cards", "0", "devices"),
        "no device is named",
    ),
    "a profile without a name": (
        MigLayout(cards=(a_card(("", 1)),)),
        ("cards", "0", "profiles", "0", "profile"),
        "'' is no name of a profile: write it as nvidia-smi does",
    ),
    "none of a profile": (
        MigLayout(cards=(a_card(devices=(0,)), a_card(("3g.20gb", 1), ("1g.5gb", 0), devices=(1,)))),
        ("cards", "1", "profiles", "1", "count"),
        "0 x 1g.5gb: a count is 1 or more",
    ),
    "a profile twice": (
        MigLayout(cards=(a_card(("1g.5gb.me", 1), ("1g.5gb+me", 1)),)),
        ("cards", "0", "profiles"),
        "1g.5gb+me is named twice",
    ),
}


@pytest.mark.parametrize(("layout", "path", "message"), SENSELESS.values(), ids=SENSELESS)
def test_a_layout_that_says_nothing_is_refused_whatever_the_node(layout, path, message):
    judged = judge(to_cut(layout), site())
    assert (judged.problem.code, judged.problem.path) == (ProblemCode.INVALID, ("layout", *path))
    assert message in judged.problem.message
    assert judged.impact is None


@pytest.mark.parametrize("text", ["nonsense", a_fleet([a_node()]).node(CLUSTER, "gpu-01").id])
def test_what_is_acknowledged_is_an_id_of_a_workload(text):
    judged = judge(to_cut(SEVENTHS, [text]), site())
    assert (judged.problem.code, judged.problem.path) == (ProblemCode.INVALID, ("acknowledgedWorkloads",))
    assert repr(text) in judged.problem.message


MANAGED = replace(a_pod("managed"), controller="Job/managed")
WORK = [
    a_pod("bare"),
    MANAGED,
    a_pod("cpu", asks={}),
    a_pod("elsewhere", node="gpu-02"),
    a_pod("done", phase="Failed"),
]


def test_whoever_holds_cards_must_be_acknowledged():
    judged = judge(to_cut(SEVENTHS), site(pods=WORK))
    problem, impact = judged.problem, judged.impact
    assert problem.code is ProblemCode.WORKLOADS_RUNNING
    assert {one.name for one in problem.unacknowledged} == {"bare", "managed"}
    assert not problem.hidden
    assert set(impact.workloads) == set(problem.unacknowledged)
    assert [one.name for one in impact.not_recreated] == ["bare"]
    assert impact.evicts
    assert impact.message == (
        "the cards of gpu-01 are cut anew, which takes them from 2 workloads (1 of which nothing makes again)"
    )


def test_exactly_who_was_not_acknowledged_is_listed():
    problem = judge(to_cut(SEVENTHS, [MANAGED.id]), site(pods=WORK)).problem
    assert [one.name for one in problem.unacknowledged] == ["bare"]
    assert problem.message == (
        "work holds cards of gpu-01: pod training/bare; "
        "name each that may lose it in acknowledgedWorkloads, or wait until it has ended"
    )


def test_the_acknowledged_lose_their_cards_and_those_that_are_gone_are_no_mistake():
    gone = a_pod("gone").id
    judged = judge(to_cut(SEVENTHS, [MANAGED.id, WORK[0].id, gone]), site(pods=WORK))
    assert judged.problem is None
    assert len(judged.impact.workloads) == 2


def test_many_are_named_by_the_first():
    message = judge(to_cut(SEVENTHS), site(pods=[a_pod(f"w{at}") for at in range(5)])).problem.message
    assert ": pod training/w0, pod training/w1, pod training/w2 and 2 more; name each" in message


def test_jobs_of_slurm_hold_the_machine_too():
    problem = judge(to_cut(SEVENTHS), site(jobs=[a_job("7")])).problem
    assert [one.job_id for one in problem.unacknowledged] == ["7"]
    assert problem.message.startswith("work holds cards of gpu-01: job 7 of Slurm island; ")
    assert not judge(to_cut(SEVENTHS), site(jobs=[a_job("7")])).impact.evicts


@pytest.mark.parametrize("key", [PODS, SLURM_JOBS])
def test_while_a_scheduler_is_silent_nobody_knows_who_would_be_hurt(key):
    told_of = keeper(jobs=[a_job("7", {"gpu-02": 8})])
    told_of.touch(key, NEVER)
    judged = judge(to_cut(SEVENTHS), told_of.pin())
    assert (judged.problem.code, judged.problem.retryable) == (ProblemCode.SOURCE_SILENT, True)
    assert isinstance(judged.impact.workloads, Unknown)
    assert isinstance(judged.impact.not_recreated, Unknown)
    assert "from an unknown number of workloads" in judged.impact.message


def test_what_is_so_already_hurts_nobody():
    labels = single(14, "1g.5gb", A100) | {
        "nvidia.com/mig.config": "all-1g.5gb",
        "nvidia.com/mig.config.state": "success",
    }
    judged = judge(to_cut(SEVENTHS), site(labels, [a_pod()]))
    assert judged.problem is None
    assert (judged.impact.workloads, judged.impact.cards, judged.impact.evicts) == ((), 0, False)
    assert judged.impact.message == "the cards of gpu-01 are cut so already: nothing is touched"


def test_a_withdrawn_wish_hurts_nobody():
    judged = judge(to_cut(None), site(pods=[a_pod()], record=a_wish(layout=SEVENTHS)))
    assert judged.problem is None
    assert (judged.impact.workloads, judged.impact.message) == ((), "the cards of gpu-01 stay as they are")


def test_a_wish_that_stands_already_needs_nothing_acknowledged_anew():
    wish = a_wish(layout=SEVENTHS, uid="uid-gpu-01")
    assert judge(to_cut(SEVENTHS), site(pods=[a_pod()], record=in_progress(wish))).problem is None


def test_a_wish_that_stands_already_is_not_judged_while_labels_change():
    wish = a_wish(layout=SEVENTHS, uid="uid-gpu-01")
    judged = judge(to_cut(SEVENTHS), site(single(0, "INVALID", A100), record=in_progress(wish)))
    assert judged.problem is None
    assert isinstance(judged.impact.cards, Unknown)


def test_a_node_of_slurm_is_not_cut():
    fleet = site(record=a_record(target=Target.SLURM))
    assert judge(to_cut(SEVENTHS), fleet).problem.code is ProblemCode.WRONG_TARGET


def test_a_node_that_is_not_there_is_not_cut():
    change = replace(to_cut(SEVENTHS), node="gpu-02")
    assert told(judge(change, site()))[:2] == ("NOT_FOUND", ("node", "name"))


def test_while_the_cluster_is_silent_nobody_knows_what_its_cards_are():
    told_of = keeper()
    told_of.touch(NODES, NEVER)
    judged = judge(to_cut(SEVENTHS), told_of.pin())
    assert (judged.problem.code, judged.problem.retryable) == (ProblemCode.SOURCE_SILENT, True)
    assert judged.change.node_uid is None


UNDECIDED = {
    "shares": (shared(8, 4), "gpu-01 shares its cards"),
    "no model": (whole() | {"nvidia.com/gpu.product": "NVIDIA-X1"}, "knows NVIDIA-X1"),
    "no number of cards": (single(5, "1g.10gb"), "no label names a layout"),
}


@pytest.mark.parametrize(("labels", "reason"), UNDECIDED.values(), ids=UNDECIDED)
def test_what_cannot_be_judged_is_not_asked_for(labels, reason):
    judged = judge(to_cut(SEVENTHS), site(labels, [a_pod()]))
    assert (judged.problem.code, judged.problem.retryable) == (ProblemCode.UNDETERMINED, False)
    assert reason in judged.problem.message
    assert [one.name for one in judged.impact.workloads] == ["work-0"]


def test_a_node_that_kubernetes_does_not_know_cannot_be_judged():
    judged = judge(to_cut(SEVENTHS), a_fleet(records=some_records([a_record()])))
    assert judged.problem.code is ProblemCode.UNDETERMINED
    assert judged.change.node_uid is None


def test_cards_that_are_listed_by_a_driver_cannot_be_verified():
    told_of = keeper({}, capacity={})
    told_of.replace(SLICES, {"s": a_slice("gpu-01", [a_gpu(0)])}, FRESH)
    assert "offers its cards by ResourceSlices" in judge(to_cut(SEVENTHS), told_of.pin()).problem.message


def configured(labels=None):
    told_of = keeper(labels)
    rule = LayoutRule(boards=(), devices=None, slices={"3g.20gb": 2})
    told_of.replace(LAYOUTS, {"x": LayoutFile(where="x", layouts={"halves": (rule,)})}, FRESH)
    return told_of


def test_a_named_layout_is_one_that_the_mig_manager_knows():
    fleet = configured().pin()
    assert judge(to_cut(MigLayout(config="halves")), fleet).problem is None
    assert told(judge(to_cut(MigLayout(config="thirds")), fleet)) == (
        "INVALID_MIG_LAYOUT",
        ("layout", "config"),
        "gpu-01: the MIG manager has no configuration thirds for A100-40GB",
    )


def test_what_a_name_means_is_left_open_while_the_configuration_is_silent():
    told_of = configured()
    told_of.touch(LAYOUTS, NEVER)
    assert judge(to_cut(MigLayout(config="halves")), told_of.pin()).problem.code is ProblemCode.SOURCE_SILENT
    assert judge(to_cut(SEVENTHS), told_of.pin()).problem is None


def test_a_named_layout_that_is_there_already_hurts_nobody():
    labels = mixed(1, A100)
    offered = {GPU: 0, "nvidia.com/mig-3g.20gb": 2}
    fleet = keeper(labels, [a_pod(asks={"nvidia.com/mig-3g.20gb": 1})], capacity=offered)
    rule = LayoutRule(boards=(), devices=None, slices={"3g.20gb": 2})
    fleet.replace(LAYOUTS, {"x": LayoutFile(where="x", layouts={"halves": (rule,)})}, FRESH)
    judged = judge(to_cut(MigLayout(config="halves")), fleet.pin())
    assert (judged.problem, judged.impact.workloads) == (None, ())
