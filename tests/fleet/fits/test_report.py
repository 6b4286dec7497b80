import pytest

from gateway.errors import System
from gateway.fleet.fits.report import fit_report
from gateway.fleet.platform import Target
from gateway.fleet.source import SourceKey
from tests.builders import CLUSTER, a_job, a_node, a_pod, a_record, a_slurm_node, some_records
from tests.fleet.fits.asks import asked, by_node, cards, fits, said, slices
from tests.fleets import FRESH, NEVER, NODES, PODS, a_keeper
from tests.gpu_labels import A100, GPU, H100, SHARED_GPU, T4, mixed, shared, single, whole
from tests.listed import a_gpu, a_slice

TENTH, HALF = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"


def on(labels, has, **more):
    return [a_node(labels=labels, capacity=has, **more)]


@pytest.mark.parametrize(
    ("ask", "nodes", "answer", "words"),
    [
        (cards(8), on(whole(), {GPU: 8}), True, ""),
        (cards(9), on(whole(), {GPU: 8}), False, "Insufficient nvidia.com/gpu"),
        (cards(8), [a_node(allocatable={GPU: 7})], False, "Insufficient nvidia.com/gpu"),
        (cards(1), on(whole(8, T4), {GPU: 8}), False, "its cards are T4-16GB, and H100-80GB are asked for"),
        (cards(1), [a_node(cordoned=True)], False, "node(s) were unschedulable"),
        (cards(1), [a_node(taints=["dedicated"])], False, "node(s) had untolerated taint(s)"),
        (cards(1), [a_node(taints=[GPU])], True, ""),
        (
            slices("1g.10gb"),
            on(mixed(1), {TENTH: 7}, taints=[GPU]),
            False,
            "node(s) had untolerated taint(s)",
        ),
        (cards(1), on(whole(), {}), False, "Insufficient nvidia.com/gpu"),
        (cards(2, A100), on(mixed(8), {GPU: 2, TENTH: 42}), True, ""),
        (cards(3, A100), on(mixed(8), {GPU: 2, TENTH: 42}), False, "Insufficient nvidia.com/gpu"),
        (
            cards(1, T4),
            on(shared(2, 4), {GPU: 8}),
            False,
            "nvidia.com/gpu counts shares here and not cards",
        ),
        (cards(1, T4), on(shared(2, 4), {GPU: 0, SHARED_GPU: 8}), False, "Insufficient nvidia.com/gpu"),
        (
            cards(1, A100),
            on(single(14, "3g.40gb"), {GPU: 14}),
            False,
            "nvidia.com/gpu counts slices here and not cards",
        ),
        (slices("3g.40gb", 14), on(single(14, "3g.40gb"), {GPU: 14}), True, ""),
        (
            slices("1g.10gb"),
            on(single(14, "3g.40gb"), {GPU: 14}),
            False,
            "Insufficient nvidia.com/mig-1g.10gb",
        ),
        (slices("1g.10gb", 42), on(mixed(8), {GPU: 2, TENTH: 42}), True, ""),
        (slices("1g.10gb", 42, A100), on(mixed(8), {GPU: 2, TENTH: 42}), True, ""),
        (
            slices("1g.10gb", 1, H100),
            on(mixed(8), {TENTH: 56}),
            False,
            "its cards are A100-80GB, and H100-80GB are asked for",
        ),
        (slices("3g.40gb"), on(mixed(8), {GPU: 2, TENTH: 42}), False, f"Insufficient {HALF}"),
        (
            slices("1g.10gb+me"),
            on(mixed(1), {f"{TENTH}.me": 1}),
            True,
            "",
        ),
        (
            slices("1g.10gb"),
            on(mixed(1) | {"nvidia.com/mig-1g.10gb.replicas": "2"}, {TENTH: 14}),
            False,
            f"{TENTH} counts shares of slices here and not slices",
        ),
    ],
)
def test_a_machine_does_where_what_counts_the_ask_is_left_and_open(ask, nodes, answer, words):
    report = asked(ask, nodes)

    assert (fits(report), by_node(report), said(report)) == (answer, {"gpu-01": answer}, words)


@pytest.mark.parametrize(
    ("ask", "labels", "has", "why"),
    [
        (cards(), {}, {GPU: 8}, "no label nvidia.com/gpu.product"),
        (slices("1g.10gb"), mixed(1), {TENTH: "banana"}, "banana"),
    ],
)
def test_what_labels_and_capacity_do_not_tell_is_no_guess(ask, labels, has, why):
    report = asked(ask, on(labels, has))

    assert (fits(report), by_node(report)) == (None, {"gpu-01": None})
    assert why in said(report)


def test_what_is_not_known_does_not_hide_a_refusal():
    assert by_node(asked(cards(), on({}, {GPU: 8}, cordoned=True))) == {"gpu-01": False}


def test_devices_that_are_claimed_are_not_judged():
    keeper = a_keeper([a_node(labels={}, capacity={})])
    listed = a_slice("gpu-01", [a_gpu(0, product="NVIDIA H100 80GB HBM3")])
    keeper.change(SourceKey(System.KUBERNETES, CLUSTER, "resourceslices"), {listed.name: listed}, FRESH)

    report = fit_report(cards(), keeper.pin())

    assert (fits(report), by_node(report)) == (None, {"gpu-01": None})


def test_what_pods_hold_is_not_there_whichever_scheduler_put_them_there():
    pods = [a_pod("work", asks={GPU: 3}), a_pod("done", asks={GPU: 8}, phase="Succeeded")]

    assert fits(asked(cards(5), [a_node()], pods)) is True
    assert fits(asked(cards(6), [a_node()], pods)) is False


def test_an_ask_is_a_set_on_one_machine_and_never_a_sum():
    half_full = [a_pod(f"work-{at}", f"gpu-{at}", {GPU: 4}) for at in range(4)]
    nodes = [a_node(f"gpu-{at}") for at in range(4)]

    assert fits(asked(cards(5), nodes, half_full)) is False
    assert fits(asked(cards(4, nodes=4), nodes, half_full)) is True
    assert fits(asked(cards(4, nodes=5), nodes, half_full)) is False


def test_machines_that_nobody_can_judge_decide_only_where_the_others_are_not_enough():
    nodes = [a_node("gpu-01"), a_node("gpu-02", labels={}), a_node("gpu-03", cordoned=True)]

    assert fits(asked(cards(nodes=1), nodes)) is True
    assert fits(asked(cards(nodes=2), nodes)) is None
    assert fits(asked(cards(nodes=3), nodes)) is False


def test_a_machine_that_serves_slurm_does_not_do_and_one_without_a_record_does():
    nodes = [a_node("gpu-01"), a_node("gpu-02"), a_node("gpu-03")]
    records = [a_record("gpu-01", Target.SLURM), a_record("gpu-02", Target.KUBERNETES)]
    report = asked(cards(), nodes, records=records, slurm_nodes=[a_slurm_node("gpu-04")])

    assert by_node(report) == {"gpu-01": False, "gpu-02": True, "gpu-03": True, "gpu-04": False}
    assert said(report) == "it serves Slurm"
    assert said(report, "gpu-04") == "Kubernetes does not know this machine"


def test_a_machine_that_a_job_of_slurm_holds_does_for_kubernetes_and_says_whose_it_is_too():
    slurm, job = a_slurm_node("gpu-01"), a_job("7", {"gpu-01": 8})
    records = [a_record("gpu-01", Target.KUBERNETES)]
    report = asked(cards(), [a_node("gpu-01")], records=records, slurm_nodes=[slurm], jobs=[job])

    assert by_node(report) == {"gpu-01": True}
    assert said(report) == "job 7 of Slurm holds the machine too"


def test_a_tenant_is_asked_about_its_own_machines_alone():
    nodes = [a_node("gpu-01"), a_node("gpu-02"), a_node("gpu-03")]
    records = [a_record("gpu-01", tenant="vision"), a_record("gpu-02", tenant="ocean")]

    assert by_node(asked(cards(tenant="vision"), nodes, records=records)) == {"gpu-01": True}
    assert by_node(asked(cards(tenant="ocean"), nodes, records=records)) == {"gpu-02": True}


@pytest.mark.parametrize(
    ("silent", "whole_answer", "answers"),
    [
        (NODES, None, {"gpu-01": None}),
        (PODS, None, {"gpu-01": None, "gpu-02": False}),
        (SourceKey(System.PLATFORM, "", "records"), None, {"gpu-01": None, "gpu-02": False}),
    ],
)
def test_silence_decides_nothing(silent, whole_answer, answers):
    nodes = [a_node("gpu-01"), a_node("gpu-02", cordoned=True)]
    keeper = a_keeper(nodes, records=some_records([a_record("gpu-01")]))
    keeper.touch(silent, NEVER)

    report = fit_report(cards(), keeper.pin())

    assert (fits(report), by_node(report)) == (whole_answer, answers)


def test_a_silent_cluster_may_have_machines_of_which_nobody_tells():
    keeper = a_keeper()
    keeper.touch(NODES, NEVER)

    assert fits(fit_report(cards(), keeper.pin())) is None
    assert fits(asked(cards(), [])) is False
