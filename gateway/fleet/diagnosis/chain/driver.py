"""DRIVER: whether the kernel's driver is there, new enough, and not being changed."""

import re

from gateway.fleet.diagnosis.chain.link import Link, broken, passed, untold
from gateway.fleet.diagnosis.chain.troubled import stuck_at, troubled
from gateway.fleet.diagnosis.chain.vendor import NVIDIA
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.health import IDLE_UPGRADES
from gateway.fleet.operand import Operand
from gateway.fleet.operand_pods import troubles
from gateway.fleet.unknown import Unknown

_FAILED = "upgrade-failed"
_LEAST = (384, 81)
"""What the device plugin needs (k8s-device-plugin 0.17)."""
_LEAST_FOR_MIG = (450, 80)
_NUMBERS = re.compile(r"(\d+)\.(\d+)")


def driver(view: ChainView) -> Link:
    """Judge the driver: an upgrade, then its pod, then what labels tell of it."""
    return _upgrade(view) or _by_pods(view) or _by_version(view)


def _upgrade(view: ChainView) -> Link | None:
    label = view.vendor.upgrade_label
    state = view.label(label) if label else None
    if label is None or (state in IDLE_UPGRADES and state != _FAILED):
        return None
    see, told = view.columns(label), view.labelled(label)
    if state == _FAILED:
        said = f"the upgrade of the driver on {view.name} failed"
        text = (
            f"look why the driver's pod on {view.name} fails, then set the label {label} to upgrade-required"
        )
        return broken(said, see, told, view.repair(text))
    said = f"the driver on {view.name} is being upgraded: {state}"
    return broken(said, see, told, view.wait(f"wait until {label} is upgrade-done"))


def _by_pods(view: ChainView) -> Link | None:
    pods = view.pods(Operand.DRIVER)
    if isinstance(pods, Unknown):
        return untold(pods, view.its_pods)
    if found := next(troubles(pods), None):
        return troubled(view, found, "driver")
    waiting = view.pods(Operand.TOOLKIT, Operand.VALIDATOR)
    stuck = None if isinstance(waiting, Unknown) else stuck_at(waiting, "driver-validation")
    return troubled(view, stuck, "driver") if stuck else None


def _by_version(view: ChainView) -> Link:
    label = view.vendor.version_label
    version = view.part.gpu_labels.driver_version if view.vendor is NVIDIA else view.label(label or "")
    if label is None or version is None:
        return _without_version(view)
    see, told = view.columns(label), (view.told(f"nodes/{view.name} metadata.labels[{label}]", version),)
    least = _LEAST_FOR_MIG if view.label("nvidia.com/mig.strategy") else _LEAST
    numbers = _NUMBERS.match(version)
    if view.vendor is NVIDIA and numbers and tuple(map(int, numbers.groups())) < least:
        needed = ".".join(map(str, least))
        said = f"the driver on {view.name} is {version}, and the device plugin needs {needed} or newer"
        return broken(said, see, told, view.repair(f"upgrade the driver of {view.name} to {needed} or newer"))
    return passed(f"the driver on {view.name} is {version}", see, *told)


def _without_version(view: ChainView) -> Link:
    see = view.its_pods
    if view.serves:
        return passed(f"{view.name} gives GPUs, so its driver works", see, *view.offered())
    if view.pods(Operand.DRIVER):
        return passed(f"the driver's pod on {view.name} runs", see)
    label = view.vendor.version_label
    said = f"no label tells of a driver on {view.name}"
    return untold(said, see, *(view.labelled(label) if label else ()))
