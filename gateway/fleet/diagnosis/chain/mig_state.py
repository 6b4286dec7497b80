"""MIG_STATE: whether the cards are cut as was asked."""

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.chain.link import Link, broken, doubtful, passed, untold
from gateway.fleet.diagnosis.chain.vendor import NVIDIA
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.discrepancies.devices import drift_of
from gateway.fleet.gpu import MigConfigState
from gateway.fleet.sharing import INVALID, single_mig_profile
from gateway.fleet.unknown import Unknown

_CONFIG, _STATE, _PRODUCT = "nvidia.com/mig.config", "nvidia.com/mig.config.state", "nvidia.com/gpu.product"
_LOGS = "-n gpu-operator logs -l app=nvidia-mig-manager --tail=-1"


def mig_state(view: ChainView) -> Link | None:
    """Judge what the MIG manager says of its last change, and whether that is true."""
    if view.vendor is not NVIDIA:
        return None
    see, told = view.columns(_CONFIG, _STATE), view.labelled(_CONFIG, _STATE)
    if single_mig_profile(view.part.gpu_labels) == INVALID:
        said = f"the single MIG strategy does not allow the layout of {view.name}"
        return broken(
            said, view.columns(_PRODUCT), view.labelled(_PRODUCT), _recut(view, "cut all cards alike")
        )
    state = view.part.gpu_labels.mig_config_state
    if isinstance(state, Unknown):
        return untold(state, see, *told)
    if state in {MigConfigState.PENDING, MigConfigState.REBOOTING}:
        said = f"the layout {view.label(_CONFIG)} is being applied on {view.name}"
        return broken(said, see, told, view.wait(f"wait until {_STATE} is success or failed"))
    if state is MigConfigState.FAILED:
        return _failed(view)
    return _applied(view)


def _failed(view: ChainView) -> Link:
    said = (
        f"the layout {view.label(_CONFIG)} failed on {view.name}: the one before, or a part of it, is served"
    )
    text = "see what the MIG manager says, free the cards of all work, and apply the layout again"
    return broken(said, _LOGS, view.labelled(_CONFIG, _STATE), _recut(view, text))


def _applied(view: ChainView) -> Link:
    see, told = view.columns(_CONFIG, _STATE), view.labelled(_CONFIG, _STATE)
    name = view.label(_CONFIG)
    if name is None:
        return passed(f"no layout is asked of {view.name}", see, *told)
    if view.part.gpu_labels.mig_config_state is None:
        said = f"the layout {name} is asked of {view.name}, and no MIG manager has said anything of it"
        return doubtful(said, see, told, view.repair(f"run the MIG manager on {view.name}"))
    drift = drift_of(view.node, view.fleet)
    if drift:
        return doubtful(drift.message, see, (*told, *drift.evidence), *drift.remedies)
    return passed(f"the layout {name} is applied on {view.name}", see, *told)


def _recut(view: ChainView, text: str) -> Remedy:
    return Remedy(action=RemedyAction.CHANGE_MIG_LAYOUT, text=text, subject=view.node.id)
