"""The least changes after which a pod fits: nodes are tried kind by kind, those that lack least first."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from gateway.fleet.alert import Remedy
from gateway.fleet.diagnosis.pod.case import Case, devices_of
from gateway.fleet.diagnosis.pod.cures.layout import cuttable, profile_of
from gateway.fleet.diagnosis.pod.plan import Plan, Step, counts_others, plan
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.node import Node
from gateway.fleet.placement.node import CardFacts
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.view import Candidate, Refusal
from gateway.fleet.sharing import GPU
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown

_MOST_TRIED = 16
_MOST_TRIED_BY_ALL = 2
"""Where each try takes the whole cluster."""
_TRIED_OF_A_KIND = 2
_MOST_SHOWN = 3
_Reasons = frozenset[tuple[PendingCode, str | None]]


def plans_of(case: Case) -> tuple[Plan, ...]:
    """What would do, the least first; none where nothing need be done, or nothing that is known does."""
    if case.fits or case.is_placed or case.evicts_for_it:
        return ()
    most = _MOST_TRIED_BY_ALL if counts_others(case.pod) else _MOST_TRIED
    tried = (plan(case, name) for name in islice(_promising(case), most))
    enough = [one for one in tried if one.is_enough]
    return tuple(sorted(enough, key=lambda one: one.cost))


def least(plans: Iterable[Plan]) -> tuple[Remedy, ...]:
    """The least changes: each that is enough by itself, else all of the shortest way."""
    ordered = list(plans)
    if not ordered:
        return ()
    best = ordered[0]
    if len(best.steps) > 1:
        return said(best)
    alone = [one for one in ordered if len(one.steps) == 1]
    by_action = {one.steps[0].cure.action: one for one in reversed(alone)}
    chosen = sorted(by_action.values(), key=lambda one: one.cost)
    return tuple(remedy for one in chosen[:_MOST_SHOWN] for remedy in said(one))


def said(way: Plan) -> tuple[Remedy, ...]:
    """The changes of a plan in words; each says whether it is enough."""
    return tuple(_remedy(step, at, way) for at, step in enumerate(way.steps, 1))


def _remedy(step: Step, at: int, way: Plan) -> Remedy:
    before = f"change {at} of {len(way.steps)}: " if len(way.steps) > 1 else ""
    text = f"{before}{step.cure.text}; {_then(step, way)}"
    return Remedy(action=step.cure.action, text=text, subject=step.cure.subject)


def _then(step: Step, way: Plan) -> str:
    if step.then is None:
        return f"then it fits on {way.node}"
    if isinstance(step.then, Unknown):
        return f"whether it then fits on {way.node} is not known: {step.then.reason}"
    next_reason = ", ".join(part.text for part in step.then.reasons)
    return f"not enough by itself, for {way.node} then says: {next_reason}"


def _promising(case: Case) -> Iterator[str]:
    """A few nodes of each kind of objections: the kinds with the fewest first, the emptiest nodes first."""
    kinds: defaultdict[_Reasons, list[str]] = defaultdict(list)
    refusing = (one.node for one in case.verdicts if one.fits is False)
    for name in refusing:
        reasons = _reasons(case.objections[name].refusals)
        if not _is_out_of_question(case.nodes[name], reasons):
            kinds[reasons].append(name)
    devices = devices_of(case.pod)
    for kind in sorted(kinds, key=lambda kind: (len(kind), sorted(map(str, kind)))):
        names = sorted(kinds[kind], key=lambda name: (*_promise(case, name, devices), name))
        yield from names[:_TRIED_OF_A_KIND]


def _is_out_of_question(node: Node, reasons: _Reasons) -> bool:
    """Whether no change of the node would help: it is in change, only looks free, or has parts of cards.

    Who chose machines with whole cards is not told to put up with parts of them.
    """
    is_named = all(code is not PendingCode.NODE_AFFINITY for code, _ in reasons)
    return node.is_being_cut or bool(node.held_by_slurm) or (_is_in_parts(node) and not is_named)


def _promise(case: Case, name: str, devices: tuple[str, ...]) -> tuple[bool, int, int]:
    """What tells the better node: cards and no parts of them, devices left, then cards to cut them from."""
    candidate, slices = case.view.candidates[name], filter(profile_of, devices)
    could = any(isinstance(cuttable(case.nodes[name], one), CardFacts) for one in slices)
    whole = -_left(candidate, (GPU,)) if could else 1
    return _is_in_parts(case.nodes[name]) and GPU in devices, -_left(candidate, devices), whole


def _is_in_parts(node: Node) -> bool:
    """Whether what goes by the name of cards there is slices or shares of them."""
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else None
    told = resources if isinstance(resources, tuple) else ()
    return any(one.name == GPU and one.unit in {GpuUnit.SLICE, GpuUnit.SHARE} for one in told)


def _reasons(refusals: Iterable[Refusal]) -> _Reasons:
    return frozenset((part.code, part.resource) for one in refusals for part in one.reasons)


def _left(candidate: Candidate, devices: Iterable[str]) -> int:
    """How many of the devices that are asked for a node has left."""
    total = 0
    for device in devices:
        has = available(candidate, device)
        taken = candidate.pods if isinstance(candidate.pods, Unknown) else held(candidate.pods, device)
        if isinstance(has, int) and isinstance(taken, int):
            total += max(has - taken, 0)
    return total
