"""DEVICE_PLUGIN: whether something tells the kubelet, or the scheduler, of the cards."""

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.claimed import devices_beside
from gateway.fleet.diagnosis.chain.link import Link, broken, doubtful, passed, untold
from gateway.fleet.diagnosis.chain.plugin_missing import plugin_missing
from gateway.fleet.diagnosis.chain.troubled import troubled
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.dra import Devices
from gateway.fleet.operand_pods import SERVING, Trouble, troubles
from gateway.fleet.sharing import INVALID, single_mig_profile
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_WORKLOAD = "nvidia.com/gpu.workload.config"
_ALL = "nvidia.com/gpu.deploy.operands"
_SWITCH = "nvidia.com/gpu.deploy.device-plugin"
_PAUSED = "paused-for-mig-change"
_MIG_STATE = "nvidia.com/mig.config.state"
_PRODUCT, _STRATEGY = "nvidia.com/gpu.product", "nvidia.com/mig.strategy"


def device_plugin(view: ChainView) -> Link:
    """Judge the device plugin, or the DRA driver in its stead."""
    return _for_machines(view) or _switched_off(view) or _refusing(view) or _by_pods(view)


def serves_machines(view: ChainView) -> bool:
    """Whether its cards are passed to virtual machines, and by design none is offered to pods."""
    return (view.label(_WORKLOAD) or "").startswith("vm-")


def _for_machines(view: ChainView) -> Link | None:
    if not serves_machines(view):
        return None
    said = f"{view.name} gives its cards to virtual machines, and by design none to pods"
    return doubtful(said, view.columns(_WORKLOAD), view.labelled(_WORKLOAD))


def _switched_off(view: ChainView) -> Link | None:
    if view.label(_SWITCH) == _PAUSED:
        said = f"the device plugin on {view.name} is paused while the MIG layout is changed"
        told = view.labelled(_SWITCH, _MIG_STATE)
        text = (
            f"wait until {_MIG_STATE} is success or failed; "
            "one that stays pending has given up: see what the MIG manager says last"
        )
        return broken(said, view.columns(_SWITCH, _MIG_STATE), told, view.wait(text))
    off = [key for key in (_ALL, _SWITCH) if view.label(key) == "false"]
    if not off or view.serves:
        return None
    said = f"the device plugin is switched off on {view.name}, by the label {off[0]}"
    text = f"kubectl label node {view.name} --overwrite {off[0]}=true"
    return broken(said, view.columns(off[0]), view.labelled(off[0]), view.repair(text))


def _refusing(view: ChainView) -> Link | None:
    """Tell why the plugin serves no card of a machine, whatever its pod does."""
    if view.serves or single_mig_profile(view.part.gpu_labels) != INVALID:
        return None
    said = (
        f"the device plugin serves no card of {view.name}: the single strategy does not allow its MIG layout"
    )
    text = "cut all cards alike, or let the device plugin name slices by the mixed strategy"
    remedy = Remedy(action=RemedyAction.CHANGE_MIG_LAYOUT, text=text, subject=view.node.id)
    return broken(said, view.columns(_PRODUCT, _STRATEGY), view.labelled(_PRODUCT, _STRATEGY), remedy)


def _by_pods(view: ChainView) -> Link:
    pods = view.pods(*SERVING)
    if isinstance(pods, Unknown):
        return untold(pods, view.its_pods)
    if found := _worst(list(troubles(pods))):
        return troubled(view, found, "device plugin")
    if pods:
        names = ", ".join(f"{pod.namespace}/{pod.name}" for pod in pods)
        return passed(
            f"the device plugin runs on {view.name}: pod {names}", view.its_pods, *map(view.phase, pods)
        )
    return _by_devices(view) or plugin_missing(view)


def _by_devices(view: ChainView) -> Link | None:
    """Take what is offered for proof that something which is not known by its name serves."""
    devices = devices_beside(view.node.beside)
    if isinstance(devices, Unknown):
        return untold(devices, "get resourceslices")
    if isinstance(devices, Devices):
        return passed(f"a DRA driver lists the devices of {view.name}", "get resourceslices")
    if not view.serves:
        unread = first_unknown(*(one.given for one in view.offers))
        return untold(unread, view.its_pods, *view.offered()) if unread else None
    said = f"something that is no device plugin by its name serves the kubelet of {view.name}"
    return passed(said, view.its_pods, *view.offered())


def _worst(found: list[Trouble]) -> Trouble | None:
    return next((one for one in found if one.crashes), None) or next(iter(found), None)
