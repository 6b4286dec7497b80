"""KUBELET: whether the node offers what the cards give."""

from gateway.fleet.alert import Evidence, Remedy
from gateway.fleet.claimed import devices_beside
from gateway.fleet.diagnosis.chain.link import Link, broken, passed, untold
from gateway.fleet.diagnosis.chain.view import ChainView, Offer
from gateway.fleet.dra import Devices
from gateway.fleet.gpu import MigConfigState
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.node import NodeHealth
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_MIG_STATE = "nvidia.com/mig.config.state"


def kubelet(view: ChainView) -> Link:
    """Judge what the kubelet has of GPU resources, and what of it may be given."""
    return _not_ready(view) or _by_devices(view) or _by_capacity(view)


def _not_ready(view: ChainView) -> Link | None:
    see = f"describe node {view.name}"
    path = f"nodes/{view.name} status.conditions[Ready]"
    if isinstance(view.part.ready, Unknown):
        return untold(view.part.ready, see, view.told(path, None))
    if view.part.ready:
        return None
    told = next((one.status for one in view.part.conditions if one.type == "Ready"), None)
    said = f"the kubelet of {view.name} is not Ready, so nothing is placed there"
    evidence: tuple[Evidence, ...] = (view.told(path, told),)
    if view.part.gpu_labels.mig_config_state in {MigConfigState.PENDING, MigConfigState.REBOOTING}:
        evidence += view.labelled(_MIG_STATE)
        return broken(
            f"{said}: its MIG layout is being changed", see, evidence, view.wait("wait for the change")
        )
    return broken(said, see, evidence, view.repair(f"look after the kubelet of {view.name}"))


def _by_devices(view: ChainView) -> Link | None:
    """Where devices are claimed, the kubelet offers no resource."""
    if view.part.resources or not isinstance(devices_beside(view.node.beside), Devices):
        return None
    said = f"the devices of {view.name} are claimed by ResourceSlices: its kubelet need offer no resource"
    return passed(said, "get resourceslices")


def _by_capacity(view: ChainView) -> Link:
    see = f"get node {view.name} -o jsonpath='{{.status.capacity}} {{.status.allocatable}}'"
    told = (*view.offered("capacity"), *view.offered())
    if unread := first_unknown(*(amount for one in view.offers for amount in (one.had, one.given))):
        return untold(unread, see, *told)
    why = _nothing(view) or _less(view)
    if why:
        return broken(why, see, told, _remedy(view))
    offered = ", ".join(f"{one.given} {one.name}" for one in view.offers)
    return passed(f"{view.name} gives all that it has: {offered}", see, *told)


def _nothing(view: ChainView) -> str | None:
    """Tell why it gives none, by the three ways in which a kubelet says so."""
    name, resources = view.name, ", ".join(one.name for one in view.offers)
    if not resources:
        return f"{name} has no resource {view.vendor.resource}: no device plugin has registered there yet"
    if not any(one.had for one in view.offers):
        return f"{name} has 0 of {resources}: a device plugin served it once, and none does now"
    if not view.serves:
        return f"{name} gives nothing of {resources}: its kubelet takes every device for unhealthy"
    return None


def _less(view: ChainView) -> str | None:
    """Tell what of it may not be given, or is not there though labels count it."""
    less = [f"{one.given} of {one.had} {one.name}" for one in view.offers if _is_less(one)]
    if less:
        return f"{view.name} gives only {', '.join(less)}: its kubelet takes the rest for unhealthy"
    health = view.node.health
    reasons = health.reasons if isinstance(health, NodeHealth) else ()
    found = next((one.message for one in reasons if one.code is HealthCode.CARDS_LOST), None)
    return f"{view.name} gives less than its labels count: {found}" if found else None


def _is_less(one: Offer) -> bool:
    return isinstance(one.given, int) and isinstance(one.had, int) and one.given < one.had


def _remedy(view: ChainView) -> Remedy:
    if not any(one.had for one in view.offers):
        return view.repair(f"read what the device plugin on {view.name} says: it registers no card")
    text = "look for Xid errors in its kernel's log, then restart its device plugin"
    return view.repair(f"{text}: a device that was unhealthy once stays so until then")
