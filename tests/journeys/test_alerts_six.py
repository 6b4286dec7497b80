"""The six lies: data that lies, the number that a naive count makes of it, the right one, and the alert."""

from dataclasses import replace

from gateway.fleet.platform import Target
from gateway.fleet.source import SkippedItem
from tests.alerting import alerts_of, told, watched
from tests.builders import (
    CLUSTER,
    NOON,
    a_job,
    a_node,
    a_pod,
    a_record,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleets import FRESH, NODES, a_keeper
from tests.gpu_labels import GPU, H100, T4, shared, single, whole

LINES = """query ($tenant: String!) { tenant(name: $tenant) {
  capacity { gpuType { name } target physical available deficit } } }"""
CARDS = 'query ($name: String!) { node(cluster: "fleet", name: $name) { id busy gpus { cards } } }'


def lines(gateway, tenant="vision"):
    return {
        line["gpuType"]["name"]: line for line in gateway.data(LINES, tenant=tenant)["tenant"]["capacity"]
    }


def node(gateway, name="gpu-01"):
    return gateway.data(CARDS, name=name)["node"]


def test_a_record_that_outlived_its_node_is_an_alert_and_no_capacity():
    names = ("gpu-01", "gpu-02", "gpu-03")
    records = [a_record(name, tenant="robotics", claims=4) for name in names]
    gateway = watched(
        a_keeper([a_node(name, whole(4, T4)) for name in names[:2]], records=some_records(records))
    )

    (alert,) = alerts_of(gateway, "ORPHANED_RECORD")

    assert sum(record.claimed_cards for record in records) == 12
    assert lines(gateway, "robotics")[T4]["physical"] == 8
    assert (alert["code"], alert["severity"], alert["subjectName"]) == (
        "ORPHANED_RECORD",
        "WARNING",
        "gpu-03",
    )
    assert alert["subject"] == {"__typename": "Node", "id": node(gateway, "gpu-03")["id"]}
    assert (alert["cluster"], alert["tenant"]) == ({"name": CLUSTER}, {"name": "robotics"})
    assert alert["message"] == (
        "gpu-03 is on record for robotics with 4 cards, and no system knows such a machine"
    )
    assert alert["claim"] == {
        "system": "PLATFORM",
        "path": "node_record[fleet/gpu-03]",
        "value": "4 cards, target KUBERNETES",
        "observedAt": "2026-11-29T12:00:00Z",
    }
    assert told(alert["evidence"]) == [("KUBERNETES", None), ("SLURM", None)]
    assert [one["subject"]["id"] for one in alert["remedies"]] == [alert["subject"]["id"]]
    assert (alert["firstSeen"], alert["resolvedAt"]) == ("2026-11-29T12:00:00Z", None)


def test_a_node_idle_to_slurm_and_busy_on_kubernetes_is_a_conflict():
    gateway = watched(
        a_keeper(
            [a_node()],
            [a_pod("debug", asks={GPU: 4})],
            some_records([a_record(target=Target.SLURM)]),
            slurm_nodes=[a_slurm_node(states=["IDLE"])],
        )
    )

    (alert,) = alerts_of(gateway, "TARGET_CONFLICT")

    assert node(gateway)["busy"] is True
    assert alert["severity"] == "CRITICAL"
    assert alert["message"] == (
        "gpu-01 serves Slurm, to which it is IDLE; 1 pod of Kubernetes holds its GPUs"
    )
    assert told([alert["claim"], *alert["evidence"]]) == [
        ("PLATFORM", "SLURM"),
        ("SLURM", "IDLE"),
        ("KUBERNETES", "nvidia.com/gpu 4"),
    ]
    assert [one["action"] for one in alert["remedies"]] == ["FREE_WORKLOADS", "CHANGE_TARGET"]


def test_a_node_idle_on_kubernetes_and_busy_to_slurm_is_a_conflict():
    gateway = watched(
        a_keeper(
            [a_node()],
            records=some_records([a_record()]),
            slurm_nodes=[a_slurm_node(states=["ALLOCATED"])],
            jobs=[a_job("7")],
        )
    )

    (alert,) = alerts_of(gateway, "TARGET_CONFLICT")

    assert node(gateway)["busy"] is True
    assert alert["severity"] == "CRITICAL"
    assert alert["message"] == (
        "gpu-01 serves Kubernetes, where no pod holds its GPUs; 1 job of Slurm holds it"
    )
    assert told(alert["evidence"]) == [("SLURM", "RUNNING train")]


def test_a_node_that_the_other_scheduler_may_use_is_a_conflict_to_come():
    gateway = watched(
        a_keeper(
            [a_node("batch"), a_node("service"), a_node("tainted", taints=["slurm"]), a_node("drained")],
            records=some_records(
                [
                    a_record("batch", Target.SLURM),
                    a_record("tainted", Target.SLURM),
                    a_record("service"),
                    a_record("drained"),
                ]
            ),
            slurm_nodes=[a_slurm_node("service"), a_slurm_node("drained", states=["IDLE", "DRAIN"])],
        )
    )

    found = {alert["subjectName"]: alert for alert in alerts_of(gateway, "TARGET_CONFLICT")}

    assert {name: one["severity"] for name, one in found.items()} == {
        "batch": "WARNING",
        "service": "WARNING",
    }
    assert found["batch"]["remedies"][0]["text"] == "cordon or taint it in Kubernetes"
    assert found["service"]["remedies"][0]["text"] == "drain it in Slurm"


def test_what_cannot_be_read_is_an_alert_with_its_text():
    keeper = a_keeper([a_node()])
    unread = SkippedItem(
        subject="nodes/gpu-01",
        path="status.capacity[nvidia.com/gpu]",
        raw="eight",
        problem="nvidia.com/gpu: 'eight' is not a Kubernetes quantity",
        since=NOON,
    )
    keeper.touch(NODES, replace(FRESH, skipped=(unread,)))

    (alert,) = alerts_of(watched(keeper), "SKIPPED_SYNC")

    assert alert["message"] == "nodes/gpu-01: nvidia.com/gpu: 'eight' is not a Kubernetes quantity"
    assert (alert["subject"]["__typename"], alert["subjectName"]) == ("Node", "gpu-01")
    assert told([alert["claim"]]) == [("KUBERNETES", "eight")]
    assert alert["remedies"][0]["text"].startswith("correct nodes/gpu-01 status.capacity[nvidia.com/gpu]")


def test_bytes_where_devices_are_counted_are_implausible():
    keeper = a_keeper([a_node()])
    for raw in ("13Gi", "0.5"):
        item = SkippedItem(subject=raw, path="status", raw=raw, problem="no count", since=NOON)
        keeper.touch(NODES, replace(FRESH, skipped=(item,)))
        (alert,) = alerts_of(watched(keeper), "IMPLAUSIBLE_COUNT")
        assert (alert["subjectName"], alert["claim"]["value"]) == (raw, raw)


def test_slices_and_shares_on_record_as_cards_are_miscounted():
    gateway = watched(
        a_keeper(
            [
                a_node("cut", single(4, "3g.40gb"), {GPU: 4}),
                a_node("shared", shared(2, 2), {GPU: 4}),
                a_node("honest", shared(2, 2), {GPU: 4}),
            ],
            records=some_records(
                [a_record("cut", claims=4), a_record("shared", claims=4), a_record("honest", claims=2)]
            ),
        )
    )

    found = {alert["subjectName"]: alert for alert in alerts_of(gateway, "SLICES_COUNTED_AS_CARDS")}

    assert set(found) == {"cut", "shared"}
    assert node(gateway, "shared")["gpus"]["cards"] == 2
    assert (
        found["shared"]["message"] == "shared is on record with 4 cards: those are shares, and it has 2 cards"
    )
    assert "those are slices" in found["cut"]["message"]
    assert told([found["shared"]["claim"], *found["shared"]["evidence"]])[:3] == [
        ("PLATFORM", "4"),
        ("KUBERNETES", "4"),
        ("KUBERNETES", "2"),
    ]
    assert found["shared"]["remedies"][0]["text"] == "write down 2 cards"


def test_a_node_that_is_ready_and_gives_nothing_is_critical():
    gateway = watched(a_keeper([a_node(capacity={GPU: 0})], records=some_records([a_record()])))

    (alert,) = alerts_of(gateway, "READY_WITHOUT_CAPACITY")

    assert node(gateway)["gpus"]["cards"] == 8
    assert lines(gateway)[H100]["available"] == 0
    assert alert["severity"] == "CRITICAL"
    assert told([alert["claim"], *alert["evidence"]]) == [
        ("KUBERNETES", "True"),
        ("KUBERNETES", "0"),
        ("KUBERNETES", "8"),
    ]
    assert alert["remedies"][0]["action"] == "REPAIR_NODE"


def test_cards_of_a_type_that_the_tenant_does_not_hold_are_no_capacity():
    gateway = watched(
        a_keeper(
            [a_node("gpu-01", whole(4, T4)), a_node("gpu-02", whole(8, H100))],
            records=some_records(
                [a_record("gpu-01", tenant="search"), a_record("gpu-02", tenant="vision")],
                [a_workspace("ranking", {H100: 4}, tenant="search")],
            ),
        )
    )

    (alert,) = alerts_of(gateway, "TYPE_NOT_ALLOCATED")

    line = lines(gateway, "search")[H100]
    assert (line["physical"], line["available"], line["deficit"]) == (0, 0, 4)
    assert alert["message"] == "search/ranking was given 4 cards of H100-80GB; search holds T4-16GB there"
    assert alert["subject"]["__typename"] == "GpuAllocation"
    assert told([alert["claim"], *alert["evidence"]]) == [("PLATFORM", "4"), ("KUBERNETES", "T4-16GB")]
