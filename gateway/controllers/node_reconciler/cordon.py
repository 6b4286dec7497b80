"""Our cordon: whether it stands, whether a person took it away, and what is to be done about it."""

from gateway.controllers.node_reconciler.sight import Case
from gateway.controllers.node_reconciler.steps import Act, Cordon, GiveBack, Step
from gateway.fleet.desired import BlockCause, Blocker, ReconcilePhase
from gateway.fleet.live import CORDON, CORDON_OWNER, LiveNode


def is_held(node: LiveNode) -> bool:
    """Whether the node is cordoned, by us among others."""
    return node.unschedulable and CORDON in node.annotations and CORDON_OWNER in node.cordon_owners


def is_current(case: Case) -> bool:
    """Whether our cordon stands, and says for which generation."""
    return is_held(case.node) and case.node.annotations[CORDON] == str(case.desired.generation)


def taken_away(case: Case) -> Step | None:
    """What to say where a person uncordoned in this generation: theirs is the last word."""
    said = case.node.annotations.get(CORDON)
    if said != str(case.desired.generation) or is_held(case.node):
        return None
    by = ", ".join(owner for owner in case.node.cordon_owners if owner != CORDON_OWNER) or "a person"
    return Step(
        phase=ReconcilePhase.BLOCKED,
        message=f"{by} took our cordon away: ask again to go on, or withdraw what was asked",
        blockers=(Blocker(cause=BlockCause.PERSON, name=by),),
        progress=case.progress,
    )


def begin(case: Case) -> Step:
    """Keep new work off."""
    return Step(
        phase=ReconcilePhase.CORDONING,
        message="new work is kept off the node",
        progress=case.progress,
        act=Cordon(),
    )


def due(case: Case) -> Act | None:
    """What brings the cordon to what is wished while no layout is in change."""
    if case.desired.cordoned:
        return None if is_current(case) else Cordon()
    held = CORDON in case.node.annotations or CORDON_OWNER in case.node.cordon_owners
    return GiveBack() if held else None
