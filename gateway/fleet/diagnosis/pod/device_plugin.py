"""DEVICE_PLUGIN: whether machines that have GPUs offer none of what is asked for, because they are ill."""

from decimal import Decimal

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, devices_of
from gateway.fleet.diagnosis.pod.cures.layout import cuttable, profile_of
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node, some
from gateway.fleet.health_reason import HealthCode, HealthReason
from gateway.fleet.node import Node, NodeHealth
from gateway.fleet.quantity import write_decimal
from gateway.fleet.scheduling.resources import available

_CHECK = DiagnosisCheck.DEVICE_PLUGIN
_PASSING = {HealthCode.MIG_CHANGE, HealthCode.DRIVER_UPGRADE}
"""What ends by itself."""


def device_plugin(case: Case) -> DiagnosisStep | None:
    """Judge the machines with GPUs by their health; gpuChain of each says more. None: it asks for no GPU."""
    devices = devices_of(case.pod)
    if not devices:
        return None
    if case.silence:
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.UNKNOWN, finding="nodes are silent")
    offering = {name for name in case.view.candidates if _offers(case, name, devices)}
    others = sorted(case.view.candidates.keys() - offering)
    could = [name for name in others if _could_offer(case.nodes[name], devices)]
    ill = {name: why for name in could if (why := _illness(case.nodes[name]))}
    if not ill:
        said = "no machine with GPUs keeps back what it should offer"
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.PASS, finding=said)
    first, *_ = shown = list(ill)[:SHOWN]
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.WARN if offering else StepOutcome.FAIL,
        finding=f"GPUs of {some(ill)} are not offered; {first}: {ill[first].message}",
        evidence=tuple(_offered(case, name, device) for name in shown for device in devices),
        remedies=tuple(_mend(case.nodes[name], ill[name]) for name in shown),
    )


def _offered(case: Case, name: str, device: str) -> Evidence:
    amount = case.view.candidates[name].node.allocatable.get(device)
    told = write_decimal(amount) if isinstance(amount, Decimal) else None
    return of_node(case, name, f"status.allocatable[{device}]", told)


def _mend(node: Node, why: HealthReason) -> Remedy:
    if why.code in _PASSING:
        text = f"wait until {node.name} offers its GPUs again: {why.message}"
        return Remedy(action=RemedyAction.WAIT, text=text, subject=node.id)
    text = f"mend {node.name}: {why.message}; its gpuChain says where it is broken"
    return Remedy(action=RemedyAction.REPAIR_NODE, text=text, subject=node.id)


def _illness(node: Node) -> HealthReason | None:
    """Why no card of a machine is usable; None where some are, or it has none."""
    health = node.health
    if not isinstance(health, NodeHealth) or health.usable_cards != 0 or health.expected_cards == 0:
        return None
    return health.reasons[0] if health.reasons else None


def _could_offer(node: Node, devices: tuple[str, ...]) -> bool:
    """Whether it would have some if it were well: slices come of cards that can be cut so."""
    return any(not profile_of(device) or cuttable(node, device) is not None for device in devices)


def _offers(case: Case, name: str, devices: tuple[str, ...]) -> bool:
    return any(available(case.view.candidates[name], device) for device in devices)
