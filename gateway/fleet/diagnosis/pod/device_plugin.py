"""DEVICE_PLUGIN: whether machines that have GPUs offer none of what is asked for, because they are ill."""

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, devices_of
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node, some
from gateway.fleet.node import Node, NodeHealth
from gateway.fleet.scheduling.resources import available

_CHECK = DiagnosisCheck.DEVICE_PLUGIN


def device_plugin(case: Case) -> DiagnosisStep | None:
    """Judge the machines with GPUs by their health; gpuChain of each says more. None: it asks for no GPU."""
    devices = devices_of(case.pod)
    if not devices:
        return None
    if case.silence:
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.UNKNOWN, finding="nodes are silent")
    ill = {name: _illness(case.nodes[name]) for name in sorted(case.view.candidates)}
    silent = {name: why for name, why in ill.items() if why and not _offers(case, name, devices)}
    if not silent:
        said = "no machine with GPUs keeps back what it should offer"
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.PASS, finding=said)
    nowhere = not any(_offers(case, name, devices) for name in case.view.candidates)
    first = next(iter(silent))
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.FAIL if nowhere else StepOutcome.WARN,
        finding=f"GPUs of {some(silent)} are not offered; {first}: {silent[first]}",
        evidence=tuple(
            of_node(
                case,
                name,
                f"status.allocatable[{device}]",
                case.view.candidates[name].node.allocatable.get(device),
            )
            for name in list(silent)[:SHOWN]
            for device in devices
        ),
        remedies=tuple(
            Remedy(
                action=RemedyAction.REPAIR_NODE,
                text=f"mend {name}: {why}; its gpuChain says where it is broken",
                subject=case.nodes[name].id,
            )
            for name, why in list(silent.items())[:SHOWN]
        ),
    )


def _illness(node: Node) -> str | None:
    """Why no card of a machine is usable; None where some are, or it has none."""
    health = node.health
    if not isinstance(health, NodeHealth) or health.usable_cards != 0 or health.expected_cards == 0:
        return None
    return health.reasons[0].message if health.reasons else None


def _offers(case: Case, name: str, devices: tuple[str, ...]) -> bool:
    return any(available(case.view.candidates[name], device) for device in devices)
