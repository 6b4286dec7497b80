from tests.fleet.diagnosis.pod.cases import (
    FAIL,
    GPU,
    PASS,
    WARN,
    advice,
    checks,
    diagnosed,
    machine,
    step,
    told,
)
from tests.fleet.scheduling.scenes import node, pod
from tests.gpu_labels import mixed


def plugin(*nodes):
    return diagnosed(pod(asks={GPU: "1"}), nodes)


def test_the_only_machine_with_cards_offers_none():
    diagnosis = plugin(machine("a", {}, {}), node("cpu", has={"cpu": "8", "pods": "10"}))

    found = step(diagnosis, "DEVICE_PLUGIN")
    assert found.outcome is FAIL
    assert found.finding == "GPUs of a are not offered; a: 8 cards are expected, and the node offers none"
    assert told(found) == {f"nodes/a status.allocatable[{GPU}]": None}
    assert found.remedies[0].text.endswith("its gpuChain says where it is broken")


def test_mending_it_would_be_enough():
    assert advice(plugin(machine("a", {GPU: "8"}, {GPU: "0"}))) == [
        (
            "REPAIR_NODE",
            "mend a: the device plugin does not serve: nothing is allocatable (see its gpuChain); "  # noqa: ISC004 - one sentence
            "then it fits on a",
        )
    ]


def test_a_layout_that_is_being_applied_is_waited_for_and_nothing_is_promised_of_it():
    changing = machine(
        "a", {GPU: "8"}, {GPU: "0"}, {"nvidia.com/mig.config": "x", "nvidia.com/mig.config.state": "pending"}
    )

    diagnosis = plugin(changing)

    assert advice(step(diagnosis, "DEVICE_PLUGIN")) == [
        ("WAIT", "wait until a offers its GPUs again: MIG layout x is being applied")
    ]
    assert diagnosis.remedies[0].text.endswith("; whether it then fits is not known")


def test_it_warns_where_others_offer_some():
    found = step(plugin(machine("a", {}, {}), machine("b", {GPU: "8"}, {GPU: "8"})), "DEVICE_PLUGIN")

    assert found.outcome is WARN


def test_machines_that_are_well_pass():
    assert step(plugin(machine("a", {GPU: "8"}, {GPU: "8"})), "DEVICE_PLUGIN").outcome is PASS


def test_a_pod_without_gpus_is_not_asked():
    assert "DEVICE_PLUGIN" not in checks(diagnosed(pod(asks={"cpu": "1"}), [machine("a", {}, {})]))


def test_a_machine_whose_cards_cannot_be_cut_is_not_blamed_for_slices():
    diagnosis = diagnosed(pod(asks={"nvidia.com/mig-3g.40gb": "1"}), [machine("a", {}, {})])

    assert step(diagnosis, "DEVICE_PLUGIN").outcome is PASS


def test_a_machine_that_is_being_cut_is_left_to_whoever_cuts_it():
    changing = {"nvidia.com/mig.config": "x", "nvidia.com/mig.config.state": "pending"}
    node = machine("a", {GPU: "8"}, {GPU: "0"}, {**mixed(8), **changing})

    diagnosis = diagnosed(pod(asks={"nvidia.com/mig-3g.40gb": "1"}), [node])

    assert [one.action.value for one in diagnosis.remedies] == ["WAIT"]
