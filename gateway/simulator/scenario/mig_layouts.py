"""The configurations of the demo's MIG managers, and what a machine shows once it is cut under one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import yaml

from gateway.simulator.operator.cut import Cut, Layouts
from gateway.simulator.operator.port import MANAGER
from gateway.simulator.scenario.hardware import Machine, Mig
from gateway.simulator.scenario.node_labels import node_labels
from gateway.simulator.scenario.node_objects import uid
from gateway.simulator.store import Json

NAMESPACE, CONFIG_MAP, KEY = "gpu-operator", "gpu-gateway-mig-config", "config.yaml"
"""The ConfigMap is the gateway's own, so that it may add layouts that are asked for card by card."""
_EACH = {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1}
_BALANCED = {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}


def mig_objects() -> tuple[Json, ...]:
    """The MIG manager's DaemonSet, and the ConfigMap that it mounts."""
    labels = {"app": MANAGER}
    volume = {"name": "mig-parted-config", "configMap": {"name": CONFIG_MAP}}
    template = {"metadata": {"labels": labels}, "spec": {"volumes": [volume]}}
    daemon_set = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": MANAGER, "namespace": NAMESPACE, "uid": uid("owner", MANAGER), "labels": labels},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": CONFIG_MAP, "namespace": NAMESPACE, "uid": uid("configmap", CONFIG_MAP)},
        "data": {KEY: yaml.safe_dump({"version": "v1", "mig-configs": _entries()}, sort_keys=False)},
    }
    return daemon_set, config_map


def layouts(text: str, machine: Machine, now: datetime) -> Layouts:
    """What this machine shows under each layout of the file."""
    entries = yaml.safe_load(text)["mig-configs"]
    return {name: cut_of(machine, name, rules, now) for name, rules in entries.items()}


def cut_of(machine: Machine, name: str, rules: list[Json], now: datetime) -> Cut:
    """What this machine shows under one layout."""
    whole, slices = machine.cards, Counter[str]()
    for rule in rules:
        devices = range(machine.cards) if rule["devices"] == "all" else rule["devices"]
        whole -= len(devices) if rule["mig-enabled"] else 0
        for profile, count in (rule.get("mig-devices") or {}).items():
            slices[profile.replace("+", ".")] += count * len(devices)
    strategy = machine.mig.strategy if machine.mig else "mixed"
    mig = Mig(config=name, strategy=strategy, whole=whole, slices=dict(slices))
    return shown(replace(machine, mig=mig), now)


def shown(machine: Machine, now: datetime) -> Cut:
    """What the device plugin and gpu-feature-discovery tell of a machine as it is cut."""
    labels = node_labels(machine, now)
    told = {name: value for name, value in labels.items() if name.startswith(_TOLD)}
    return Cut(resources=machine.capacity, labels=told)


_TOLD = (
    "nvidia.com/mig-",
    "nvidia.com/gpu.count",
    "nvidia.com/gpu.memory",
    "nvidia.com/gpu.product",
    "nvidia.com/gpu.replicas",
)


def _entries() -> Mapping[str, Json]:
    alike = {f"all-{profile}": [_cut({profile: count})] for profile, count in _EACH.items()}
    half = [{"devices": [0, 1, 2, 3], "mig-enabled": False}, _cut({"3g.40gb": 2}, [4, 5, 6, 7])]
    whole = [{"devices": "all", "mig-enabled": False}]
    return {"all-disabled": whole, **alike, "all-balanced": [_cut(_BALANCED)], "half-3g.40gb": half}


def _cut(slices: Mapping[str, int], devices: str | list[int] = "all") -> Json:
    return {"devices": devices, "mig-enabled": True, "mig-devices": dict(slices)}
