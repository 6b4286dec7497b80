"""What the rules say where little is known: nothing, rather than something wrong."""

from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Severity
from gateway.fleet.discrepancies.rules import RULES, found_by
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.platform import Target
from gateway.fleet.source import SkippedItem
from gateway.fleet.unknown import undetermined
from tests.builders import (
    CLUSTER,
    NOON,
    SLURM,
    a_job,
    a_node,
    a_pod,
    a_pod_group,
    a_queue,
    a_record,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleets import (
    ABSENT,
    FRESH,
    NEVER,
    NODES,
    PODS,
    QUEUES,
    RECORDS,
    SLURM_JOBS,
    SLURM_NODES,
    Hands,
    a_keeper,
)
from tests.gpu_labels import A100, GPU, H100, T4, mixed, whole


def findings(fleet):
    return {name: one for rule in RULES for name, one in found_by(rule, fleet).items()}


def kinds(fleet, name):
    return [one.kind.value for one in findings(fleet).values() if one.subject_name == name]


def test_a_machine_in_change_is_neither_empty_nor_adrift():
    labels = mixed(8, A100) | {
        "nvidia.com/mig.config": "all-3g.40gb",
        "nvidia.com/mig.config.state": "pending",
    }
    fleet = a_keeper(
        [a_node("changing", labels, {GPU: 0})], records=some_records([a_record("changing")])
    ).pin()

    assert kinds(fleet, "changing") == []


@pytest.mark.parametrize(
    ("config", "slices", "drifts"),
    [
        ("all-disabled", {}, False),
        ("all-disabled", {"nvidia.com/mig-3g.40gb": 4}, True),
        ("all-enabled", {"nvidia.com/mig-3g.40gb": 4}, False),
        ("all-3g.40gb", {"nvidia.com/mig-3g.40gb": "four"}, False),
    ],
)
def test_a_layout_is_judged_where_its_name_says_what_it_is(config, slices, drifts):
    labels = mixed(2, A100) | {"nvidia.com/mig.config": config, "nvidia.com/mig.config.state": "success"}
    whole_cards = 0 if slices else 2
    fleet = a_keeper(
        [a_node("cut", labels, {GPU: whole_cards, **slices})], records=some_records([a_record("cut")])
    ).pin()

    assert ("PROFILE_DRIFT" in kinds(fleet, "cut")) is drifts


def test_a_tenant_without_machines_and_one_with_a_machine_of_unknown_type_are_not_judged():
    unknown = whole(8) | {"nvidia.com/gpu.product": "NVIDIA-X1"}
    fleet = a_keeper(
        [a_node("odd", unknown), a_node("plain", whole(4, T4))],
        records=some_records(
            [a_record("odd", tenant="vision"), a_record("plain", tenant="search")],
            [
                a_workspace("a", {H100: 1}, tenant="vision"),
                a_workspace("b", {H100: 1}, tenant="lodger"),
                a_workspace("c", {H100: 0}, tenant="search"),
                a_workspace("d", {H100: 1}, tenant="search", cluster="elsewhere"),
            ],
        ),
    ).pin()

    assert [one for one in findings(fleet).values() if one.kind is AlertKind.TYPE_NOT_ALLOCATED] == []


def test_a_batch_machine_is_no_batch_machines_for_kubernetes():
    """Cards that serve Slurm cannot stand behind what a workspace was given."""
    fleet = a_keeper(
        [a_node("batch"), a_node("plain", whole(4, T4))],
        records=some_records(
            [a_record("batch", Target.SLURM), a_record("plain")], [a_workspace(given={H100: 4})]
        ),
    ).pin()

    assert kinds(fleet, "vision/training H100-80GB") == ["TYPE_NOT_ALLOCATED"]


def test_a_conflict_says_where_the_machines_own_scheduler_does_not_know_it_or_is_silent():
    keeper = a_keeper(
        [a_node("batch")], [a_pod("held", "batch")], some_records([a_record("batch", Target.SLURM)])
    )

    def message():
        return next(
            one.message for one in findings(keeper.pin()).values() if one.kind is AlertKind.TARGET_CONFLICT
        )

    assert message() == "batch serves Slurm, which does not know it; 1 pod of Kubernetes holds its GPUs"
    keeper.touch(SLURM_NODES, NEVER)
    assert message() == "batch serves Slurm, which is silent; 1 pod of Kubernetes holds its GPUs"


def test_jobs_are_a_conflict_while_the_pods_of_the_machine_are_not_known():
    keeper = a_keeper(
        [a_node("gpu-01")],
        records=some_records([a_record()]),
        slurm_nodes=[a_slurm_node(states=["ALLOCATED"])],
        jobs=[a_job("1"), a_job("2")],
    )
    keeper.touch(PODS, NEVER)

    (found,) = [one for one in findings(keeper.pin()).values() if one.kind is AlertKind.TARGET_CONFLICT]

    assert found.message == "gpu-01 serves Kubernetes, which is silent; 2 jobs of Slurm hold it"
    assert found.severity is Severity.CRITICAL


def test_a_taint_of_the_gpus_own_name_keeps_no_work_away_that_asks_for_them():
    fleet = a_keeper(
        [a_node("usual", taints=[GPU]), a_node("closed", taints=[GPU, "slurm"])],
        records=some_records([a_record("usual", Target.SLURM), a_record("closed", Target.SLURM)]),
    ).pin()

    assert (kinds(fleet, "usual"), kinds(fleet, "closed")) == (["TARGET_CONFLICT"], [])


@pytest.mark.parametrize(
    ("subject", "name", "tenant"),
    [
        ("queues/training", "training", "vision"),
        ("queues/none", "queues/none", None),
        ("podgroups/a/b", "podgroups/a/b", None),
    ],
)
def test_what_cannot_be_read_is_told_of_the_thing_where_there_is_one(subject, name, tenant):
    keeper = a_keeper(records=some_records(workspaces=[a_workspace(given={})]), queues=[a_queue()])
    item = SkippedItem(subject=subject, path="spec.deserved", raw="lots", problem="no quantity", since=NOON)
    keeper.touch(QUEUES, replace(FRESH, skipped=(item,)))

    (found,) = [one for one in findings(keeper.pin()).values() if one.kind is AlertKind.SKIPPED_SYNC]

    assert (found.subject_name, found.tenant) == (name, tenant)
    assert found.message == f"{subject}: spec.deserved says 'lots': no quantity"


def test_pods_whose_ask_cannot_be_read_are_no_drift_of_what_can():
    odd = a_pod("odd", asks={GPU: undetermined(System.KUBERNETES, "no count")}, group="gang")
    old = replace(a_pod("old", group="gang"), created_at=None, started_at=None)
    fleet = a_keeper(
        [a_node()], [odd, old], queues=[a_queue(allocated={GPU: 1})], pod_groups=[a_pod_group()]
    ).pin()

    assert kinds(fleet, "training") == []


def test_the_sum_of_a_parent_is_its_childrens_and_no_drift_of_its_own():
    queues = [a_queue("team", {GPU: 1}), a_queue("training", {GPU: 1}, parent="team")]
    pods = [replace(a_pod(group="gang"), created_at=None, started_at=None)]
    fleet = a_keeper([a_node()], pods, queues=queues, pod_groups=[a_pod_group()]).pin()

    assert (kinds(fleet, "team"), kinds(fleet, "training")) == ([], [])


def test_an_amount_that_cannot_be_read_is_a_skipped_item_and_no_count():
    fleet = a_keeper(
        [a_node()], records=some_records([a_record()]), queues=[a_queue(allocated={GPU: "lots"})]
    )

    assert kinds(fleet.pin(), "training") == []


def test_without_records_nothing_is_unmanaged_or_given():
    keeper = a_keeper([a_node()])
    keeper.replace(RECORDS, {}, ABSENT)

    assert kinds(keeper.pin(), "gpu-01") == []


def test_a_machine_that_only_slurm_knows_and_no_record_is_unmanaged():
    fleet = a_keeper(slurm_nodes=[a_slurm_node("island")]).pin()

    (found,) = [one for one in findings(fleet).values() if one.kind is AlertKind.UNMANAGED_NODE]

    assert [(one.system, one.value) for one in found.evidence] == [(System.SLURM, "IDLE")]


def test_a_record_may_make_a_machine_without_labels_empty():
    """Kubernetes says nothing of GPUs there: a record does, and a Slurm of another cluster is no witness."""
    keeper = FleetKeeper([CLUSTER, "elsewhere"], {SLURM: "elsewhere"}, Hands())
    for key in (NODES, PODS, SLURM_NODES, SLURM_JOBS):
        keeper.replace(key, {}, FRESH)
    keeper.replace(NODES, {"bare": a_node("bare", {}, {})}, FRESH)
    keeper.replace(RECORDS, {"records": some_records([a_record("bare"), a_record("gone")])}, FRESH)

    found = {one.kind: one for one in findings(keeper.pin()).values()}

    assert [one.system for one in found[AlertKind.ORPHANED_RECORD].evidence] == [System.KUBERNETES]
    assert found[AlertKind.READY_WITHOUT_CAPACITY].message == (
        "bare is Ready, and gives no GPU: GPUs are expected, and the node offers none"
    )
    assert found[AlertKind.READY_WITHOUT_CAPACITY].evidence == ()


@pytest.mark.parametrize(
    ("target", "tenant", "text"),
    [
        (Target.KUBERNETES, "vision", "release the record, "),
        (None, None, "import with --prune a file that does not name it, "),
    ],
)
def test_the_way_out_of_an_orphaned_record_is_one_that_is_left(target, tenant, text):
    records = some_records([a_record("gone", target=target, tenant=tenant)])

    found = {one.kind: one for one in findings(a_keeper([a_node()], records=records).pin()).values()}

    assert (
        found[AlertKind.ORPHANED_RECORD].remedies[0].text == f"{text}or bring the machine back under its name"
    )
