"""Reads everything that decides one node's next step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gateway.controllers.node_reconciler.beside import against_it, aim_of, others_of
from gateway.controllers.node_reconciler.plan import is_in_work
from gateway.controllers.node_reconciler.sight import Sight, carried
from gateway.fleet.fleet import Fleet
from gateway.fleet.live import EffectResult, LivePod
from gateway.fleet.ports import NodeHands
from gateway.fleet.wish import Wish

_MANAGER, _PLUGIN = "nvidia-mig-manager", "nvidia-device-plugin-daemonset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A node that a step is for, among all that is known."""

    wish: Wish
    wishes: Sequence[Wish]
    """Of the whole cluster."""
    fleet: Fleet


async def look(subject: Subject, hands: NodeHands) -> Sight:
    """Read the node, its pods and the operator's programs there, live."""
    wish, fleet = subject.wish, subject.fleet
    known, layout = fleet.node(wish.cluster, wish.node), wish.desired and wish.desired.mig_layout
    if not is_in_work(wish):  # a cordon, and giving it back, must not wait for what only a layout needs
        return Sight(node=await hands.node(wish.node))
    pods = tuple(await hands.pods(wish.node))
    return Sight(
        pods=pods,
        managers=tuple(await hands.operands(wish.node, _MANAGER)),
        plugins=tuple(await hands.operands(wish.node, _PLUGIN)),
        layouts=await hands.layouts(),
        aim=aim_of(layout, known) if layout else None,
        slurm=tuple(against_it(fleet, wish.cluster, known)),
        others=others_of(wish, subject.wishes, fleet),
        tried=await _tried(wish, pods, hands),
        node=await hands.node(wish.node),
    )


async def _tried(wish: Wish, pods: Sequence[LivePod], hands: NodeHands) -> Mapping[str, EffectResult]:
    """Try each eviction that would be asked for, before anything is touched for it."""
    desired = wish.desired
    progress = carried(wish)
    if desired is None or progress.began_at or progress.gave_up:
        return {}
    due = [pod for pod in pods if pod.holds_gpus and pod.id in desired.acknowledged]
    return {pod.uid: await hands.evict(pod, dry_run=True) for pod in due if not pod.terminating}
