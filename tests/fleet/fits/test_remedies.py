import pytest

from gateway.fleet.alert import RemedyAction
from gateway.fleet.fits.report import fit_report
from gateway.fleet.platform import Target
from tests.builders import (
    a_job,
    a_node,
    a_pod,
    a_queue,
    a_record,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleet.fits.asks import asked, by_node, cards, cordoned_by, done, slices
from tests.fleets import a_fleet
from tests.gpu_labels import A100, GPU, H100, mixed, shared, single, whole

NONE, LESS = "No change is known after which", "ask for less, or for another kind"
TENTH = "nvidia.com/mig-1g.10gb"


def test_a_cordon_is_taken_away_before_anybody_loses_work():
    nodes = [a_node("gpu-01"), cordoned_by(a_node("gpu-02"), "kubectl-cordon")]

    report = asked(cards(8), nodes, [a_pod()])

    assert done(report) == [("UNCORDON", "Uncordon gpu-02, which kubectl-cordon cordoned")]
    assert report.remedies[0].subject == list(report.nodes)[1].node.id


@pytest.mark.parametrize(
    ("lacking", "freed"),
    [
        (1, ["one"]),
        (2, ["two"]),
        (3, ["four"]),
        (4, ["four"]),
        (5, ["four", "one"]),
        (7, ["four", "two", "one"]),
    ],
)
def test_the_fewest_pods_are_freed_that_are_enough(lacking, freed):
    amounts = {"one": 1, "two": 2, "four": 4}
    pods = [a_pod(name, asks={GPU: amount}) for name, amount in amounts.items()]

    report = asked(cards(1 + lacking), [a_node()], pods)

    held = [f"Free {amounts[name]} x {GPU} of gpu-01, which pod training/{name} holds" for name in freed]
    assert done(report) == [("FREE_WORKLOADS", text) for text in held]


def test_a_pod_that_is_leaving_is_waited_for_before_another_is_freed():
    pods = [a_pod("leaving", asks={GPU: 2}, terminating=True), a_pod("work", asks={GPU: 2})]

    assert done(asked(cards(6), [a_node()], pods)) == [
        ("WAIT", "Wait until pod training/leaving has left gpu-01")
    ]


def test_all_that_stands_in_the_way_of_one_machine_is_named_in_the_order_in_which_it_shows():
    node = a_node(cordoned=True, taints=[GPU, "dedicated"])

    assert done(asked(cards(8), [node], [a_pod()])) == [
        ("UNCORDON", "Uncordon gpu-01"),
        ("ADD_TOLERATION", "Tolerate dedicated:NoSchedule of gpu-01, or take that taint away"),
        ("FREE_WORKLOADS", f"Free 1 x {GPU} of gpu-01, which pod training/work-0 holds"),
    ]


@pytest.mark.parametrize(
    ("node", "remedy"),
    [
        (
            a_node(ready=False, taints=["node.kubernetes.io/not-ready"]),
            ("REPAIR_NODE", "Repair gpu-01: the node is not Ready"),
        ),
        (a_node(allocatable={GPU: 6}), ("REPAIR_NODE", "Repair gpu-01: 2 of 8 cards are not allocatable")),
        (
            a_node(capacity={}),
            ("REPAIR_NODE", "Repair gpu-01: 8 cards are expected, and the node offers none"),
        ),
        (
            a_node(
                labels=whole() | {"nvidia.com/gpu-driver-upgrade-state": "drain-required"},
                allocatable={GPU: 0},
            ),
            ("WAIT", "Wait for gpu-01: driver upgrade: drain-required"),
        ),
    ],
)
def test_what_is_broken_is_repaired_and_what_passes_is_waited_for(node, remedy):
    assert [(one[0], one[1].split("; ")[0]) for one in done(asked(cards(8), [node]))] == [remedy]


@pytest.mark.parametrize(
    ("ask", "labels", "has", "text"),
    [
        (
            slices("3g.40gb", 16),
            mixed(8),
            {TENTH: 56},
            "Cut the cards of gpu-01 so that they give 16 x 3g.40gb",
        ),
        (cards(8, A100), mixed(8), {GPU: 2, TENTH: 42}, "Leave 8 cards of gpu-01 whole"),
        (
            slices("1g.10gb", 1, A100),
            single(14, "3g.40gb")
            | {"nvidia.com/mig.config": "all-3g.40gb", "nvidia.com/mig.config.state": "success"},
            {GPU: 14},
            "Cut the cards of gpu-01 so that they give 1 x 1g.10gb of A100-80GB",
        ),
    ],
)
def test_cards_are_cut_anew_where_they_can_give_what_is_asked_for(ask, labels, has, text):
    report = asked(ask, [a_node(labels=labels, capacity=has)], [a_pod(asks={TENTH: 1})])

    told = ", which takes its cards from 1 workload (1 of which nothing makes again)"
    assert done(report) == [("CHANGE_MIG_LAYOUT", text + told)]
    assert report.remedies[0].subject == next(report.nodes).node.id


def test_cards_that_nobody_holds_are_cut_before_anybody_loses_some():
    nodes = [a_node("gpu-01", mixed(8), {GPU: 8}), a_node("gpu-02", mixed(8), {GPU: 8})]

    report = asked(slices("3g.40gb", 3), nodes, [a_pod(asks={GPU: 7})])

    assert done(report) == [
        ("CHANGE_MIG_LAYOUT", "Cut 2 of the whole cards of gpu-02 that nobody holds into 3 x 3g.40gb")
    ]


def test_a_machine_that_is_being_cut_is_left_to_whoever_cuts_it():
    changing = {"nvidia.com/mig.config": "all-2g.20gb", "nvidia.com/mig.config.state": "pending"}
    node = a_node(labels=mixed(8) | changing, capacity={GPU: 0}, cordoned=True)

    assert [one for one, _ in done(asked(slices("3g.40gb"), [node]))] == ["CHANGE_REQUEST"]


@pytest.mark.parametrize(
    ("ask", "labels", "has"),
    [
        (slices("3g.40gb", 17), mixed(8), {GPU: 8}),
        (slices("3g.40gb"), whole(8, A100), {GPU: 8}),
        (cards(9), whole(), {GPU: 8}),
        (cards(1, "T4-16GB"), shared(2, 4), {GPU: 8}),
        (cards(1, A100), whole(), {GPU: 8}),
    ],
)
def test_nothing_is_promised_that_no_change_brings(ask, labels, has):
    report = asked(ask, [a_node(labels=labels, capacity=has)])

    assert by_node(report) == {"gpu-01": False}
    assert done(report) == [("CHANGE_REQUEST", f"{NONE} a machine holds {ask.words}: {LESS}")]


def test_a_machine_of_slurm_changes_its_target_once_its_jobs_are_gone():
    job = a_job("7", {"gpu-01": 8})
    report = asked(
        cards(8),
        [a_node()],
        records=[a_record(target=Target.SLURM)],
        slurm_nodes=[a_slurm_node()],
        jobs=[job],
    )

    assert done(report) == [
        ("FREE_WORKLOADS", "Free gpu-01 of job 7 of Slurm island"),
        ("CHANGE_TARGET", "Let gpu-01 serve Kubernetes and not Slurm"),
    ]
    assert [one.subject for one in report.remedies] == [job.id, next(report.nodes).node.id]


def test_as_many_machines_are_changed_as_are_lacking_and_those_where_the_least_work_is_hurt():
    nodes = [a_node(f"gpu-0{at}") for at in range(4)]
    pods = [a_pod(f"work-{at}-{nth}", f"gpu-0{at}", {GPU: 2}) for at in range(4) for nth in range(at)]

    report = asked(cards(8, nodes=3), nodes, pods)

    assert [text.split("pod ")[1] for _, text in done(report)] == [
        "training/work-1-0 holds",
        "training/work-2-0 holds",
        "training/work-2-1 holds",
    ]


def test_nothing_is_to_be_done_where_it_fits_or_where_not_enough_machines_could():
    nodes = [a_node("gpu-01"), a_node("gpu-02", cordoned=True)]

    assert done(asked(cards(8), nodes)) == []
    told = f"{NONE} 3 machines of one cluster hold 8 x H100-80GB: {LESS}"
    assert done(asked(cards(8, nodes=3), nodes)) == [("CHANGE_REQUEST", told)]
    assert done(asked(cards(9), [a_node(), a_node("gpu-02", labels={})])) == []


@pytest.mark.parametrize(
    ("given", "used", "ask", "told"),
    [
        ({H100: 4}, {GPU: 3}, cards(1, tenant="vision"), []),
        (
            {H100: 4},
            {GPU: 3},
            cards(2, nodes=2, tenant="vision"),
            ["Give training of vision 3 more H100-80GB: of its 4 are 1 not used, and 4 are asked for"],
        ),
        (
            {A100: 4},
            {},
            cards(tenant="vision"),
            ["Give a workspace of vision cards of H100-80GB: none was given any"],
        ),
        ({H100: 4}, None, cards(9, tenant="vision"), []),
        ({H100: 0}, {}, slices("1g.10gb", tenant="vision"), []),
        ({H100: 0}, {}, cards(), []),
    ],
)
def test_a_tenant_that_was_given_less_than_it_asks_for_is_told_so(given, used, ask, told):
    nodes = [a_node("gpu-01"), a_node("gpu-02")]
    records = some_records([a_record(name) for name in ("gpu-01", "gpu-02")], [a_workspace(given=given)])
    report = fit_report(ask, a_fleet(nodes, records=records, queues=[a_queue(allocated=used)]))

    assert [one.text for one in report.remedies if one.action is RemedyAction.RAISE_ALLOCATION] == told
