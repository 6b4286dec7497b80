from dataclasses import replace

import pytest

from gateway.fleet.unknown import Unknown
from tests.builders import a_node, a_record, some_records
from tests.fleets import FRESH, NEVER, a_fleet, a_keeper
from tests.gpu_operator import (
    DRIVER,
    ENFORCE,
    MACHINE,
    ON_THE_BUS,
    PLUGIN,
    TOOLKIT,
    a_machine_with,
    a_namespace,
    a_set,
    a_site,
    chain_of,
    container,
    key_of,
    outcomes,
    pod_of,
    pods_but,
)
from tests.listed import a_gpu, a_slice

LINKS = [
    "HARDWARE",
    "DRIVER",
    "RUNTIME",
    "DEVICE_PLUGIN",
    "KUBELET",
    "LABELS",
    "MIG_STATE",
    "SHARING_CONFIG",
    "POD_SECURITY",
]
DRA = "nvidia-dra-driver-gpu-kubelet-plugin"
AMD = {"amd.com/gpu.product-name": "MI300X", "feature.node.kubernetes.io/amd-gpu": "true"}


def broken(daemon_set):
    crashing = pod_of(daemon_set, container(waiting="CrashLoopBackOff", restarts=1))
    return [*pods_but(daemon_set), crashing]


def test_a_healthy_machine_passes_every_link_in_order():
    assert list(outcomes(a_site()).items()) == [(link, "PASS") for link in LINKS]


@pytest.mark.parametrize(
    ("told", "link"),
    [
        (
            {"node": a_machine_with(ON_THE_BUS, **{"feature.node.kubernetes.io/cpu": "1"}, has=0, gives=0)},
            "HARDWARE",
        ),
        ({"pods": broken(DRIVER)}, "DRIVER"),
        ({"pods": broken(TOOLKIT)}, "RUNTIME"),
        ({"pods": broken(PLUGIN)}, "DEVICE_PLUGIN"),
        ({"node": a_machine_with(gives=7)}, "KUBELET"),
        ({"node": a_machine_with(**{"nvidia.com/mig.config.state": "failed"})}, "MIG_STATE"),
        ({"node": a_machine_with(**{"nvidia.com/device-plugin.config": "gone"})}, "SHARING_CONFIG"),
        ({"namespaces": [a_namespace(**{ENFORCE: "baseline"})]}, "POD_SECURITY"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_chain_ends_with_the_first_link_that_is_broken(told, link):
    found = outcomes(a_site(**told))

    assert list(found) == LINKS[: LINKS.index(link) + 1]
    assert [name for name, outcome in found.items() if outcome == "FAIL"] == [link]


def test_a_doubt_ends_nothing():
    found = outcomes(a_site(a_machine_with("nvidia.com/gpu.product")))

    assert (found["LABELS"], found["POD_SECURITY"]) == ("WARN", "PASS")


def test_each_finding_ends_with_the_command_that_shows_it():
    assert all(". See: kubectl " in step.finding for step in chain_of(a_site()))


@pytest.mark.parametrize("silent", ["pods", "operands", "namespaces", "runtimeclasses"])
def test_a_silent_listing_breaks_no_link(silent):
    found = outcomes(a_site(contacts={silent: NEVER}))

    assert set(found.values()) == {"PASS", "UNKNOWN"}
    assert list(found) == LINKS


def test_while_the_nodes_are_silent_it_is_unknown_as_a_whole():
    assert isinstance(
        chain_of(a_site(contacts={"nodes": NEVER}, records=some_records([a_record()]))), Unknown
    )


def test_a_machine_that_kubernetes_does_not_know_has_none():
    assert chain_of(a_fleet(records=some_records([a_record()]))) is None


def test_a_machine_without_gpus_has_none():
    assert chain_of(a_site(a_node(MACHINE, {}, {}))) is None


def test_cards_of_amd_need_neither_runtime_nor_mig():
    found = outcomes(
        a_site(a_node(MACHINE, AMD, {"amd.com/gpu": 8}), [pod_of("amdgpu-device-plugin-daemonset")])
    )

    assert list(found) == ["HARDWARE", "DRIVER", "DEVICE_PLUGIN", "KUBELET", "POD_SECURITY"]
    assert set(found.values()) == {"PASS"}


@pytest.mark.parametrize(
    ("pods", "outcome"),
    [
        ([pod_of(DRA, container())], "PASS"),
        ([], "PASS"),
        ([pod_of(DRA, container(waiting="ImagePullBackOff"))], "FAIL"),
    ],
    ids=["its pod runs", "its pod is called otherwise", "its pod has no image"],
)
def test_a_dra_driver_stands_for_the_device_plugin(pods, outcome):
    keeper = a_keeper([a_node(MACHINE, {ON_THE_BUS: "true"}, {})], pods)
    listed = a_slice(MACHINE, [a_gpu(0), a_gpu(1)])
    keeper.replace(key_of("resourceslices"), {listed.name: listed}, FRESH)

    found = outcomes(keeper.pin())

    assert found["DEVICE_PLUGIN"] == outcome
    if outcome == "PASS":
        assert found["KUBELET"] == "PASS"
        assert "LABELS" not in found


def test_a_machine_for_which_a_dra_driver_lists_nothing_is_broken():
    expected = {ON_THE_BUS: "true", "nvidia.com/gpu.count": "8"}

    fleet = a_site(a_node(MACHINE, expected, {}), [], [a_set(DRA)])

    assert outcomes(fleet)["DEVICE_PLUGIN"] == "FAIL"
    assert f"though DaemonSet gpu-operator/{DRA} wants one there" in chain_of(fleet)[-1].finding


def test_a_pod_that_is_going_is_no_trouble():
    going = replace(pod_of(PLUGIN, container(waiting="CrashLoopBackOff", restarts=3)), terminating=True)

    assert outcomes(a_site(pods=[*pods_but(), going]))["DEVICE_PLUGIN"] == "PASS"
