"""What is wished and seen of a node, and what is claimed and done then: one row a case."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from gateway.controllers.node_reconciler.sight import Aim, Others
from gateway.controllers.node_reconciler.steps import Cordon, Evict, GiveBack, Nudge, RestartPlugin, SetLabel
from gateway.errors import System
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import LiveNode, LivePod
from gateway.fleet.placement.offer import Offer
from gateway.fleet.platform import Target
from gateway.fleet.unknown import undetermined
from gateway.fleet.wish import Progress
from tests.builders import NOON

CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
OLD, NEW = "all-disabled", "all-1g.10gb"
SLICES = {"nvidia.com/mig-1g.10gb": 14}
OFFER = Offer(resources=SLICES, profile=None)
MINUTE = timedelta(minutes=1)
BEGUN = Progress(began_at=NOON - MINUTE, config=NEW, expected=OFFER)
WRITTEN = replace(BEGUN, unverified=True)
LABELLED = replace(WRITTEN, labelled_at=NOON - MINUTE, boot_id="b1")


def a_pod(name="train-0", **told):
    fields: dict[str, Any] = {
        "id": f"id-{name}",
        "namespace": "training",
        "name": name,
        "uid": f"uid-{name}",
        "holds_gpus": True,
        "owner": None,
        "is_mirror": False,
        "finalizers": (),
        "created_at": NOON,
        "terminating": False,
        "ready": True,
    }
    return LivePod(**(fields | told))


MANAGER, PLUGIN = a_pod("manager", holds_gpus=False), a_pod("plugin", holds_gpus=False)
OLD_MANAGER, OLD_PLUGIN = (replace(pod, created_at=NOON - timedelta(hours=1)) for pod in (MANAGER, PLUGIN))


def a_live_node(config=OLD, state="success", *, held=None, offers=None, **told):
    fields: dict[str, Any] = {
        "name": "gpu-01",
        "uid": "uid-1",
        "version": "7",
        "ready": True,
        "boot_id": "b1",
        "unschedulable": held is not None,
        "cordon_owners": ("gpu-gateway",) if held is not None else (),
        "label_owners": ("gpu-operator",),
        "labels": {CONFIG: config, **({STATE: state} if state else {})},
        "annotations": {"gpu-gateway/cordon": str(held)} if held is not None else {},
        "taints": (),
        "gpu_capacity": {},
        "gpu_allocatable": {"nvidia.com/gpu": 2} if offers is None else offers,
    }
    return LiveNode(**(fields | told))


@dataclass(kw_only=True)
class Row:
    """One case: without more, a layout is asked of an idle node in generation 3."""

    phase: P | None
    act: Any = None
    node: LiveNode | None = field(default_factory=a_live_node)
    pods: tuple[LivePod, ...] = ()
    acknowledged: frozenset[str] = frozenset()
    progress: Progress = field(default_factory=Progress)
    observed: P | None = None
    observed_at: int = 3
    converged: int = 0
    desired: bool = True
    layout: str | None = NEW
    cordoned: bool = False
    target: Target | None = Target.KUBERNETES
    uid: str = "uid-1"
    aim: Any = field(default_factory=lambda: Aim(config=NEW, text=None, expected=OFFER))
    plugin: LivePod = PLUGIN
    managers: tuple[LivePod, ...] = (MANAGER,)
    others: Others = field(default_factory=Others)
    verified: bool = False
    twice: bool = False


HELD = a_live_node(held=3)
SET = a_live_node(NEW, None, held=3)
ROWS = {
    "nobody asked": Row(phase=None, desired=False),
    "an idle node is cordoned": Row(phase=P.CORDONING, act=Cordon()),
    "what is so already converges": Row(
        phase=P.CONVERGED, node=a_live_node(NEW, offers=SLICES), verified=True
    ),
    "right slices under a state that is none are not believed": Row(
        phase=P.CORDONING, act=Cordon(), node=a_live_node(NEW, None, offers=SLICES)
    ),
    "after the cordon it is looked at twice": Row(
        phase=P.DRAINING, node=HELD, progress=BEGUN, observed=P.CORDONING, twice=True
    ),
    "what was acknowledged is evicted": Row(
        phase=P.DRAINING,
        act=Evict(a_pod()),
        node=HELD,
        progress=BEGUN,
        observed=P.DRAINING,
        pods=(a_pod(),),
        acknowledged=frozenset({"id-train-0"}),
    ),
    "what is terminating is waited for": Row(
        phase=P.DRAINING,
        node=HELD,
        progress=BEGUN,
        observed=P.DRAINING,
        pods=(a_pod(terminating=True),),
    ),
    "an empty node is labelled after two looks": Row(
        phase=P.APPLYING, act=SetLabel(NEW), node=HELD, progress=BEGUN, observed=P.DRAINING, twice=True
    ),
    "a label that was written and is not there is written again": Row(
        phase=P.APPLYING, act=SetLabel(NEW), node=HELD, progress=WRITTEN, observed=P.APPLYING, twice=True
    ),
    "a label that was written and is there is not written again": Row(
        phase=P.APPLYING, node=SET, progress=WRITTEN, observed=P.APPLYING
    ),
    "a label that was written and is being applied is not written again": Row(
        phase=P.APPLYING,
        node=a_live_node(NEW, "rebooting", held=3),
        progress=WRITTEN,
        observed=P.APPLYING,
    ),
    "a success that may be older than the label is not believed": Row(
        phase=P.APPLYING,
        act=SetLabel(NEW),
        node=a_live_node(NEW, "success", held=3),
        progress=WRITTEN,
        observed=P.APPLYING,
        twice=True,
    ),
    "a manager that says nothing for a minute is waited for": Row(
        phase=P.APPLYING, node=SET, progress=LABELLED, observed=P.APPLYING
    ),
    "one that says nothing for longer is started anew": Row(
        phase=P.APPLYING,
        act=Nudge(OLD_MANAGER),
        node=SET,
        managers=(OLD_MANAGER,),
        progress=replace(LABELLED, labelled_at=NOON - 2 * MINUTE),
        observed=P.APPLYING,
    ),
    "one that was started since the label has read it": Row(
        phase=P.APPLYING,
        node=SET,
        progress=replace(LABELLED, labelled_at=NOON - 2 * MINUTE),
        observed=P.APPLYING,
    ),
    "a word of the manager that is not known is waited for": Row(
        phase=P.BLOCKED, node=a_live_node(state="unheard-of")
    ),
    "but only where there is one": Row(
        phase=P.APPLYING,
        node=SET,
        progress=replace(LABELLED, labelled_at=NOON - 2 * MINUTE),
        observed=P.APPLYING,
        managers=(),
    ),
    "a state that nobody knows is waited for": Row(
        phase=P.APPLYING,
        node=a_live_node(NEW, "reticulating", held=3),
        progress=LABELLED,
        observed=P.APPLYING,
    ),
    "a success without slices is not believed": Row(
        phase=P.VERIFYING,
        node=a_live_node(NEW, held=3),
        progress=LABELLED,
        observed=P.APPLYING,
    ),
    "an older plugin is started anew": Row(
        phase=P.RESTARTING_DEVICE_PLUGIN,
        act=RestartPlugin(OLD_PLUGIN),
        node=a_live_node(NEW, held=3),
        progress=LABELLED,
        observed=P.APPLYING,
        plugin=OLD_PLUGIN,
    ),
    "slices on a node that is not Ready are waited for": Row(
        phase=P.VERIFYING,
        node=a_live_node(NEW, held=3, offers=SLICES, ready=False),
        progress=LABELLED,
        observed=P.APPLYING,
    ),
    "the asked slices let the node go": Row(
        phase=P.UNCORDONING,
        act=GiveBack(),
        node=a_live_node(NEW, held=3, offers=SLICES),
        progress=LABELLED,
        observed=P.VERIFYING,
        verified=True,
    ),
    "unless the cordon is wished": Row(
        phase=P.CONVERGED,
        node=a_live_node(NEW, held=3, offers=SLICES),
        progress=LABELLED,
        observed=P.VERIFYING,
        cordoned=True,
        verified=True,
    ),
    "what is expected was lost": Row(
        phase=P.FAILED,
        node=a_live_node(NEW, held=3, offers=SLICES),
        progress=replace(LABELLED, expected=None),
        observed=P.APPLYING,
    ),
    "others have the node after the label": Row(
        phase=P.BLOCKED,
        node=a_live_node(NEW, "pending", held=3, taints=("karpenter.sh/disrupted",)),
        progress=LABELLED,
        observed=P.APPLYING,
    ),
    "a cordon for an older generation is renewed after the label": Row(
        phase=P.APPLYING,
        act=Cordon(),
        node=a_live_node(NEW, "pending", held=2),
        progress=LABELLED,
        observed=P.APPLYING,
    ),
    "the fleet does not tell what the layout comes to": Row(
        phase=P.BLOCKED, aim=undetermined(System.KUBERNETES, "its cards are not known")
    ),
    "nor while it is in change": Row(
        phase=P.BLOCKED,
        aim=undetermined(System.KUBERNETES, "its cards are not known"),
        node=HELD,
        progress=BEGUN,
        observed=P.DRAINING,
    ),
    "no aim at all": Row(phase=P.BLOCKED, aim=None),
    "too many are in change": Row(phase=P.BLOCKED, others=Others(in_change=("gpu-02",))),
    "which does not stop one that is in change itself": Row(
        phase=P.APPLYING,
        act=SetLabel(NEW),
        node=HELD,
        progress=BEGUN,
        observed=P.DRAINING,
        others=Others(in_change=("gpu-02",)),
        twice=True,
    ),
    "the same layout failed elsewhere": Row(phase=P.BLOCKED, others=Others(failed="gpu-02")),
    "a layout that converged is never looked at again": Row(
        phase=P.CONVERGED, observed=P.CONVERGED, converged=3, node=a_live_node(NEW, "failed", offers={})
    ),
    "a failure is final": Row(phase=P.FAILED, node=HELD, progress=LABELLED, observed=P.FAILED),
    "a layout of another machine": Row(phase=P.BLOCKED, uid="uid-0"),
    "a layout of no machine that anybody saw": Row(phase=P.BLOCKED, uid=""),
    "another machine under our cordon is let go": Row(
        phase=P.BLOCKED, act=GiveBack(), uid="uid-0", node=HELD
    ),
    "no node": Row(phase=P.BLOCKED, node=None),
    "no node and no wish": Row(phase=P.CONVERGED, node=None, layout=None),
    "Slurm's node": Row(phase=P.BLOCKED, target=Target.SLURM),
    "a wished cordon": Row(phase=P.CORDONING, act=Cordon(), layout=None, cordoned=True),
    "a wished cordon that stands": Row(phase=P.CONVERGED, layout=None, cordoned=True, node=HELD),
    "a cordon that nobody wishes": Row(phase=P.UNCORDONING, act=GiveBack(), layout=None, node=HELD),
    "an open node of which nothing is wished": Row(phase=P.CONVERGED, layout=None),
    "a wished cordon is made while a layout is in the way": Row(
        phase=P.BLOCKED, act=Cordon(), cordoned=True, others=Others(in_change=("gpu-02",))
    ),
}
