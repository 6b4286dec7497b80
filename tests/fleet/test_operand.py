import pytest

from gateway.fleet.operand import Operand, operand_of
from tests.gpu_operator import PLUGIN


@pytest.mark.parametrize(
    ("name", "operand"),
    [
        ("nvidia-device-plugin-daemonset", Operand.DEVICE_PLUGIN),
        ("nvdp-nvidia-device-plugin", Operand.DEVICE_PLUGIN),
        ("nvidia-gpu-device-plugin-small-cos", Operand.DEVICE_PLUGIN),
        ("amdgpu-device-plugin-daemonset", Operand.DEVICE_PLUGIN),
        ("hami-device-plugin", Operand.DEVICE_PLUGIN),
        ("volcano-device-plugin", Operand.DEVICE_PLUGIN),
        ("nvidia-sandbox-device-plugin-daemonset", None),
        ("nvidia-device-plugin-mps-control-daemon", None),
        ("kube-sriov-device-plugin-amd64", None),
        ("gpu-feature-discovery", Operand.FEATURE_DISCOVERY),
        ("nvdp-nvidia-device-plugin-gpu-feature-discovery", Operand.FEATURE_DISCOVERY),
        ("nvidia-driver-daemonset", Operand.DRIVER),
        ("nvidia-driver-daemonset-5.15.0-generic-ubuntu22.04", Operand.DRIVER),
        ("nvidia-gpu-driver-ubuntu22.04-68d5b8f4c9", Operand.DRIVER),
        ("nvidia-container-toolkit-daemonset", Operand.TOOLKIT),
        ("nvidia-operator-validator", Operand.VALIDATOR),
        ("nvidia-mig-manager", Operand.MIG_MANAGER),
        ("nvidia-dra-driver-gpu-kubelet-plugin", Operand.DRA_DRIVER),
        ("nvidia-dcgm-exporter", None),
        ("fluentd", None),
    ],
)
def test_an_operand_is_told_by_the_name_of_its_daemon_set(name, operand):
    assert operand_of(f"DaemonSet/{name}") is operand


@pytest.mark.parametrize("controller", [None, "", "nvidia-device-plugin-daemonset", f"ReplicaSet/{PLUGIN}"])
def test_what_no_daemon_set_controls_is_no_operand(controller):
    assert operand_of(controller) is None
