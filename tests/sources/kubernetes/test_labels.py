from datetime import UTC, datetime

import pytest

from gateway.fleet.gpu import MigConfigState, MigStrategy, SharingStrategy
from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.labels import read_labels

FULL = {
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-SHARED",
    "nvidia.com/gpu.count": "8",
    "nvidia.com/gpu.memory": "81559",
    "nvidia.com/gpu.replicas": "4",
    "nvidia.com/gpu.sharing-strategy": "time-slicing",
    "nvidia.com/cuda.driver-version.full": "550.54.15",
    "nvidia.com/cuda.runtime-version.full": "12.4",
    "nvidia.com/mig.strategy": "mixed",
    "nvidia.com/mig.config": "all-balanced",
    "nvidia.com/mig.config.state": "rebooting",
    "nvidia.com/gfd.timestamp": "1795979359",
    "nvidia.com/gpu-driver-upgrade-state": "drain-required",
    "nvidia.com/mig-1g.10gb.count": "2",
    "nvidia.com/mig-1g.10gb.replicas": "3",
    "nvidia.com/mig-1g.10gb.me.count": "1",
    "nvidia.com/mig-1g.10gb.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb",
}


def test_reads_every_label():
    problems = []
    read = read_labels(FULL, problems)
    assert not problems
    assert read.product == "NVIDIA-H100-80GB-HBM3-SHARED"
    assert (read.count, read.memory_mib, read.replicas) == (8, 81559, 4)
    assert read.sharing_strategy is SharingStrategy.TIME_SLICING
    assert (read.driver_version, read.cuda_version) == ("550.54.15", "12.4")
    assert (read.mig_strategy, read.mig_config) == (MigStrategy.MIXED, "all-balanced")
    assert read.mig_config_state is MigConfigState.REBOOTING
    assert read.since == datetime(2026, 11, 29, 19, 9, 19, tzinfo=UTC)
    assert read.driver_upgrade_state == "drain-required"
    assert read.profile_counts == {"1g.10gb": 2, "1g.10gb.me": 1}
    assert read.profile_replicas == {"1g.10gb": 3}
    assert read.is_gpu_machine


def test_what_no_label_says_is_none():
    read = read_labels({}, [])
    assert (read.product, read.count, read.mig_strategy, read.since, read.driver_version) == (None,) * 5
    assert read.profile_counts == {}
    assert not read.is_gpu_machine


@pytest.mark.parametrize(
    ("key", "value", "attribute"),
    [
        ("nvidia.com/gpu.count", "eight", "count"),
        ("nvidia.com/gpu.count", "-1", "count"),
        ("nvidia.com/gpu.count", "1025", "count"),
        ("nvidia.com/gpu.count", "٣", "count"),
        ("nvidia.com/gpu.count", "8.0", "count"),
        ("nvidia.com/gpu.memory", "80GiB", "memory_mib"),
        ("nvidia.com/gpu.replicas", "", "replicas"),
        ("nvidia.com/gpu.sharing-strategy", "fair", "sharing_strategy"),
        ("nvidia.com/mig.strategy", "double", "mig_strategy"),
        ("nvidia.com/mig.config.state", "done", "mig_config_state"),
        ("nvidia.com/gfd.timestamp", "9" * 30, "since"),
    ],
)
def test_a_value_that_cannot_be_read_is_unknown_and_named(key, value, attribute):
    problems = []
    read = read_labels({**FULL, key: value}, problems)
    assert isinstance(getattr(read, attribute), Unknown)
    assert [(it.path, it.raw) for it in problems] == [(f"metadata.labels[{key}]", value)]
    assert read.product == FULL["nvidia.com/gpu.product"]


def test_no_strategy_is_told_while_the_mig_layout_is_invalid():
    problems = []
    assert isinstance(
        read_labels({"nvidia.com/gpu.sharing-strategy": ""}, problems).sharing_strategy, Unknown
    )
    assert not problems


@pytest.mark.parametrize(
    ("labels", "version"),
    [
        ({"cuda.driver-version.major": "550", "cuda.driver-version.minor": "54"}, "550.54"),
        ({"cuda.driver.major": "470", "cuda.driver.minor": "82", "cuda.driver.rev": "01"}, "470.82.01"),
        ({"cuda.driver-version.full": "580.1", "cuda.driver.major": "470"}, "580.1"),
    ],
)
def test_puts_a_driver_version_together_as_each_release_writes_it(labels, version):
    named = {f"nvidia.com/{key}": value for key, value in labels.items()}
    assert read_labels(named, []).driver_version == version


@pytest.mark.parametrize(
    ("labels", "has_gpus"),
    [
        ({"feature.node.kubernetes.io/pci-10de.present": "true"}, True),
        ({"feature.node.kubernetes.io/pci-0302_10de.present": "true"}, True),
        ({"nvidia.com/gpu.present": "true"}, True),
        ({"nvidia.com/gpu.present": "false"}, False),
        ({"nvidia.com/gpu.product": "NVIDIA-A30-MIG-INVALID"}, True),
        ({"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}, True),
        ({"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}, True),
        ({"feature.node.kubernetes.io/pci-8086.present": "true"}, False),
    ],
)
def test_a_label_tells_a_machine_with_gpus_even_where_nothing_serves_them(labels, has_gpus):
    assert read_labels(labels, []).is_gpu_machine is has_gpus
