"""The kin of the six lies, end to end: what is told, what is counted, and the alert."""

from dataclasses import replace
from datetime import timedelta

from gateway.fleet.platform import Target
from gateway.fleet.source import Contact
from tests.alerting import alerts_of, told, watched
from tests.builders import (
    NOON,
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
from tests.fleets import FRESH, PODS, SLURM_JOBS, SLURM_NODES, a_keeper
from tests.gpu_labels import A100, GPU, H100, T4, mixed, whole
from tests.scheduling import SLICE, Scene, a_scheduler

LONG_AGO = NOON - timedelta(hours=1)


def only(keeper, kind):
    (alert,) = alerts_of(watched(keeper), kind)
    return alert


def test_a_share_that_waits_and_cannot_be_taken_back_is_critical():
    scene = Scene().queue("prod", {GPU: 8}).waits("prod", {"cpu": 4, GPU: 2})

    alert = only(scene.keeper(a_scheduler("v1.13.0")), "DESERVED_INCOMPLETE")

    assert (alert["severity"], alert["subjectName"]) == ("CRITICAL", "prod")
    assert alert["message"] == "queue prod cannot take back its nvidia.com/gpu now: its deserved lacks cpu"
    assert told([alert["claim"], *alert["evidence"]]) == [
        ("QUEUES", "nvidia.com/gpu 8"),
        ("KUBERNETES", "nvidia.com/gpu"),
        ("QUEUES", "Volcano v1.13.0 with plugin capacity"),
    ]
    assert alert["remedies"][0]["action"] == "CHANGE_QUEUE"


def test_a_share_that_nobody_waits_for_is_a_warning_and_a_new_release_may_have_none():
    scene = Scene().queue("batch", {"cpu": 64, GPU: 8}).runs("batch", 2, {"cpu": 8, SLICE: 7})

    alert = only(scene.keeper(a_scheduler("v1.14.2")), "DESERVED_INCOMPLETE")

    assert alert["severity"] == "WARNING"
    assert alert["message"].startswith(f"others cannot take back {SLICE} from queue batch when")
    assert alerts_of(watched(scene.keeper(a_scheduler("v1.13.3"))), "DESERVED_INCOMPLETE") == []


def test_a_queue_that_deserves_nothing_says_nothing():
    scene = Scene().queue("prod", capability={GPU: 8}, guarantee={GPU: 8}).waits("prod", {"cpu": 4, GPU: 2})

    assert only(scene.keeper(a_scheduler("v1.13.0")), "DESERVED_INCOMPLETE")["claim"]["value"] is None


def over(given, allocatable=8):
    return a_keeper(
        [a_node(capacity={GPU: 8}, allocatable={GPU: allocatable})],
        records=some_records([a_record()], [a_workspace(given={H100: given})]),
    )


def test_more_cards_than_are_healthy_are_over_allocated():
    gateway = watched(over(8, allocatable=6))

    by_owner = {alert["subjectName"]: alert for alert in alerts_of(gateway, "OVER_ALLOCATED")}

    assert set(by_owner) == {"fleet H100-80GB", "vision in fleet H100-80GB"}
    alert = by_owner["vision in fleet H100-80GB"]
    assert alert["message"] == ("vision in fleet: 8 H100-80GB were given, and 6 of 8 are healthy: 2 short")
    assert (alert["severity"], alert["tenant"]) == ("WARNING", {"name": "vision"})
    assert alert["subject"]["__typename"] == "GpuBalance"
    assert told([alert["claim"], *alert["evidence"]]) == [
        ("PLATFORM", "8"),
        ("KUBERNETES", "8"),
        ("KUBERNETES", "6"),
    ]


def test_more_cards_than_there_are_is_critical():
    assert {one["severity"] for one in alerts_of(watched(over(9)), "OVER_ALLOCATED")} == {"CRITICAL"}


def test_a_type_of_which_nothing_is_left_is_exhausted():
    alert = only(over(8), "GPUS_EXHAUSTED")

    assert (alert["severity"], alert["tenant"]) == ("INFO", None)
    assert alert["message"] == "fleet: none of 8 healthy H100-80GB is left to give"
    assert alerts_of(watched(over(7)), "GPUS_EXHAUSTED") == []


def test_cards_that_jobs_hold_exhaust_slurm():
    keeper = a_keeper(
        records=some_records([a_record("island", Target.SLURM)]),
        slurm_nodes=[a_slurm_node("island")],
        jobs=[a_job("1", {"island": 8})],
    )

    alert = only(keeper, "GPUS_EXHAUSTED")

    assert told([alert["claim"], *alert["evidence"]]) == [("SLURM", "8")] * 3


def test_a_machine_that_no_record_names_is_unmanaged():
    keeper = a_keeper([a_node("known"), a_node("wild")], records=some_records([a_record("known")]))

    alert = only(keeper, "UNMANAGED_NODE")

    assert alert["message"] == "wild has 8 cards and no record: nobody may plan with them"
    assert told([alert["claim"], *alert["evidence"]]) == [("PLATFORM", None), ("KUBERNETES", "8")]


def test_cards_that_are_not_allocatable_are_lost():
    alert = only(over(0, allocatable=7), "CARDS_LOST")

    assert alert["message"] == "gpu-01: 1 of 8 cards are not allocatable"
    assert told([alert["claim"], *alert["evidence"]]) == [("KUBERNETES", "7"), ("KUBERNETES", "8")]
    assert alert["remedies"][0]["action"] == "REPAIR_NODE"


def cut(name, config, slices, state="success"):
    labels = mixed(2, A100) | {"nvidia.com/mig.config": config, "nvidia.com/mig.config.state": state}
    return a_node(name, labels, {GPU: 0, **slices})


def test_slices_that_are_not_those_of_the_layout_drift():
    keeper = a_keeper(
        [
            cut("as-told", "all-3g.40gb", {"nvidia.com/mig-3g.40gb": 4}),
            cut("too-few", "all-1g.10gb", {"nvidia.com/mig-1g.10gb": 7}),
            cut("others", "all-3g.40gb", {"nvidia.com/mig-1g.10gb": 14}),
            cut("own-layout", "half", {"nvidia.com/mig-1g.10gb": 3}),
            cut("changing", "all-3g.40gb", {"nvidia.com/mig-1g.10gb": 14}, state="pending"),
        ]
    )

    found = {one["subjectName"]: one for one in alerts_of(watched(keeper), "PROFILE_DRIFT")}

    assert set(found) == {"too-few", "others"}
    assert found["others"]["message"] == (
        "others was cut as all-3g.40gb, says the MIG manager; it offers 14 x 1g.10gb"
    )
    assert found["others"]["claim"]["value"] == "all-3g.40gb"
    assert found["others"]["remedies"][0]["action"] == "CHANGE_MIG_LAYOUT"


def drifting(allocated, *pods, parent="root"):
    old = [replace(pod, created_at=LONG_AGO, started_at=LONG_AGO) for pod in pods]
    return a_keeper(
        [a_node()], old, queues=[a_queue("training", allocated, parent=parent)], pod_groups=[a_pod_group()]
    )


def test_a_queue_that_counts_other_gpus_than_its_pods_hold_drifts():
    pods = (a_pod("a", group="gang"), a_pod("b", group="gang", phase="Succeeded"), a_pod("alien"))

    alert = only(drifting({GPU: 3}, *pods), "USAGE_DRIFT")

    assert alert["message"] == "queue training counts 3 nvidia.com/gpu in use; its 1 pod hold 1"
    assert told([alert["claim"], *alert["evidence"]]) == [("QUEUES", "3"), ("KUBERNETES", "1")]


def test_what_moves_between_two_reads_is_no_drift():
    fresh = a_pod("b", group="gang")
    going = replace(fresh, created_at=LONG_AGO, started_at=LONG_AGO, terminating=True)

    for moving in (fresh, going):
        keeper = drifting({GPU: 1})
        keeper.replace(PODS, {("training", "b"): moving}, FRESH)
        assert alerts_of(watched(keeper), "USAGE_DRIFT") == []
    assert alerts_of(watched(drifting({GPU: 1}, a_pod("a", group="gang"))), "USAGE_DRIFT") == []


def test_more_than_a_cluster_has_is_no_count():
    keeper = a_keeper([a_node()], queues=[a_queue("serving", {GPU: "13Gi"})])

    alert = only(keeper, "IMPLAUSIBLE_COUNT")

    assert alert["message"] == "queue serving has '13Gi' of nvidia.com/gpu allocated: no more than 8 can be"
    assert told([alert["claim"], *alert["evidence"]]) == [("QUEUES", "13Gi"), ("KUBERNETES", "8")]
    assert alerts_of(watched(keeper), "USAGE_DRIFT") == []


def test_a_record_of_another_type_than_the_machine_has_is_told():
    record = replace(a_record(tenant="search"), claimed_gpu_type=H100)

    alert = only(
        a_keeper([a_node(labels=whole(4, T4))], records=some_records([record])), "TYPE_NOT_ALLOCATED"
    )

    assert alert["message"] == "gpu-01 is on record with H100-80GB, and has T4-16GB"
    assert told([alert["claim"], *alert["evidence"]]) == [("PLATFORM", H100), ("KUBERNETES", "Tesla-T4")]


def test_a_queue_that_promises_slices_that_its_tenant_does_not_hold_is_told():
    keeper = a_keeper(
        [a_node()],
        records=some_records([a_record()], [a_workspace(given={})]),
        queues=[a_queue(deserved={SLICE: 7})],
    )

    alert = only(keeper, "TYPE_NOT_ALLOCATED")

    assert alert["message"] == f"queue training promises 7 {SLICE}; no machine of vision there offers any"
    assert (alert["subject"]["__typename"], alert["tenant"]) == ("Queue", {"name": "vision"})


def contact(age, **told):
    return Contact(
        fresh_for=FRESH.fresh_for, stale_after=FRESH.stale_after, last_success_at=NOON - age, **told
    )


def test_a_source_that_is_late_is_stale_and_then_down():
    keeper = a_keeper()
    keeper.touch(SLURM_NODES, contact(timedelta(minutes=5), error="timed out"))
    keeper.touch(SLURM_JOBS, contact(timedelta(minutes=11), error="refused"))
    gateway = watched(keeper)

    (stale,), (down,) = alerts_of(gateway, "SOURCE_STALE"), alerts_of(gateway, "SOURCE_DOWN")

    assert (stale["severity"], stale["subjectName"]) == ("WARNING", "slurm/island/nodes")
    assert (down["severity"], down["subjectName"]) == ("CRITICAL", "slurm/island/jobs")
    assert down["message"] == (
        "slurm/island/jobs is silent since 2026-11-29T11:49:00Z: what it told is too old to be shown"
    )
    assert told(down["evidence"]) == [("SLURM", "refused")]
    assert down["cluster"] == {"name": "fleet"}


def test_a_source_that_was_not_tried_yet_is_no_alert_and_one_that_never_answered_is():
    untried = Contact(fresh_for=FRESH.fresh_for, stale_after=FRESH.stale_after)
    keeper = a_keeper()
    keeper.touch(PODS, untried)
    assert alerts_of(watched(keeper), "SOURCE_DOWN") == []

    keeper.touch(PODS, untried.failed(NOON, "refused"))

    assert only(keeper, "SOURCE_DOWN")["message"].endswith("was never reached: nothing of it is shown")
