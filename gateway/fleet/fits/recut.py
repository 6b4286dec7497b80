"""Another layout of a machine's cards."""

from gateway.fleet.alert import RemedyAction
from gateway.fleet.changes.work import counted, work_on
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.step import Step, on_node
from gateway.fleet.gpu import MigStrategy, NodeGpus
from gateway.fleet.node import Node
from gateway.fleet.placement.node import CardFacts, card_facts
from gateway.fleet.placement.totals import divided
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown


def cut_anew(node: Node, ask: Ask) -> Step | None:
    """Cut the cards another way: idle ones where they do, else all, which takes them from who holds them."""
    facts, work = card_facts(node), work_on(node)
    if not isinstance(facts, CardFacts) or isinstance(work, Unknown) or node.is_being_cut:
        return None
    if not _can_be_cut(facts, ask):
        return None
    if cards := _idle(node, facts, ask):
        said = f"Cut {cards} of the whole cards of {node.name} that nobody holds into {ask.words}"
        return Step(remedies=on_node(RemedyAction.CHANGE_MIG_LAYOUT, said, node), after=None)
    whole = f"Leave {ask.count} cards of {node.name} whole"
    cut = f"Cut the cards of {node.name} so that they give {ask.words}"
    taken = f"takes its cards from {counted(work)}" if work else "takes them from nobody"
    said = f"{cut if ask.profile else whole}, which {taken}"
    return Step(remedies=on_node(RemedyAction.CHANGE_MIG_LAYOUT, said, node), after=None, hurts=len(work))


def _idle(node: Node, facts: CardFacts, ask: Ask) -> int:
    """How many whole cards that nobody holds give all of it by themselves; 0 where they do not."""
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else None
    told = resources if isinstance(resources, tuple) else ()
    free = sum(one.free for one in told if one.unit is GpuUnit.CARD and isinstance(one.free, int))
    if ask.profile is None or facts.strategy is not MigStrategy.MIXED or not free:
        return 0
    cuts = divided({ask.profile.name: ask.count}, facts.kind, free)
    return len(cuts) if isinstance(cuts, tuple) else 0


def _can_be_cut(facts: CardFacts, ask: Ask) -> bool:
    if not facts.kind.mig_profiles or facts.strategy is MigStrategy.NONE:
        return False
    if ask.profile is None:
        return ask.count <= facts.cards
    return isinstance(divided({ask.profile.name: ask.count}, facts.kind, facts.cards), tuple)
