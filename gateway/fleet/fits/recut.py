"""Another layout of a machine's cards."""

from gateway.fleet.alert import RemedyAction
from gateway.fleet.changes.work import counted, work_on
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.step import Step, on_node
from gateway.fleet.gpu import MigStrategy
from gateway.fleet.node import Node
from gateway.fleet.placement.node import CardFacts, card_facts
from gateway.fleet.placement.totals import divided
from gateway.fleet.unknown import Unknown


def cut_anew(node: Node, ask: Ask) -> Step | None:
    """Cut the cards another way, which takes them from all that holds them."""
    facts, work = card_facts(node), work_on(node)
    if not isinstance(facts, CardFacts) or isinstance(work, Unknown) or not _can_be_cut(facts, ask):
        return None
    whole = f"Leave {ask.count} cards of {node.name} whole"
    cut = f"Cut the cards of {node.name} so that they give {ask.words}"
    said = f"{cut if ask.profile else whole}, which takes its cards from {counted(work)}"
    return Step(remedies=on_node(RemedyAction.CHANGE_MIG_LAYOUT, said, node), after=None, hurts=len(work))


def _can_be_cut(facts: CardFacts, ask: Ask) -> bool:
    if not facts.kind.mig_profiles or facts.strategy is MigStrategy.NONE:
        return False
    if ask.profile is None:
        return ask.count <= facts.cards
    return isinstance(divided({ask.profile.name: ask.count}, facts.kind, facts.cards), tuple)
