"""Does one effect, and nothing else."""

from gateway.controllers.node_reconciler.steps import (
    Act,
    AddLayout,
    Cordon,
    Evict,
    GiveBack,
    SetLabel,
)
from gateway.fleet.live import EffectResult, LiveNode
from gateway.fleet.ports import NodeHands


async def do(act: Act, node: LiveNode, generation: int, hands: NodeHands) -> EffectResult:
    """Ask the cluster for this, once."""
    match act:
        case Cordon():
            return await hands.cordon(node, generation)
        case GiveBack():
            return await hands.give_back(node)
        case SetLabel(config):
            return await hands.label(node, config)
        case AddLayout(name, text):
            return await hands.add_layout(name, text)
        case Evict(pod):
            return await hands.evict(pod, dry_run=False)
    return await hands.delete(act.pod)
