"""The links in their order, up to the first that is broken."""

from collections.abc import Callable, Iterator

from gateway.fleet.diagnosis.chain.device_plugin import device_plugin, serves_machines
from gateway.fleet.diagnosis.chain.driver import driver
from gateway.fleet.diagnosis.chain.hardware import hardware
from gateway.fleet.diagnosis.chain.kubelet import kubelet
from gateway.fleet.diagnosis.chain.labels import labels
from gateway.fleet.diagnosis.chain.link import Link
from gateway.fleet.diagnosis.chain.mig_state import mig_state
from gateway.fleet.diagnosis.chain.pod_security import pod_security
from gateway.fleet.diagnosis.chain.runtime import runtime
from gateway.fleet.diagnosis.chain.sharing_config import sharing_config
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.unknown import Maybe

_LINKS: dict[DiagnosisCheck, Callable[[ChainView], Link | None]] = {
    DiagnosisCheck.HARDWARE: hardware,
    DiagnosisCheck.DRIVER: driver,
    DiagnosisCheck.RUNTIME: runtime,
    DiagnosisCheck.DEVICE_PLUGIN: device_plugin,
    DiagnosisCheck.KUBELET: kubelet,
    DiagnosisCheck.LABELS: labels,
    DiagnosisCheck.MIG_STATE: mig_state,
    DiagnosisCheck.SHARING_CONFIG: sharing_config,
    DiagnosisCheck.POD_SECURITY: pod_security,
}
_OF_VIRTUAL_MACHINES = {DiagnosisCheck.HARDWARE, DiagnosisCheck.DEVICE_PLUGIN}
"""What applies to cards that are given to virtual machines."""


def gpu_chain(node: Node, fleet: Fleet) -> Maybe[list[DiagnosisStep]]:
    """The way from the cards to the scheduler; None where Kubernetes offers none of them."""
    part = node.kubernetes
    if not isinstance(part, KubernetesNode):
        return part
    if not node.is_gpu_node:
        return None
    return list(_up_to_the_broken(ChainView(fleet=fleet, node=node, part=part)))


def _up_to_the_broken(view: ChainView) -> Iterator[DiagnosisStep]:
    for check, judge in _LINKS.items():
        if serves_machines(view) and check not in _OF_VIRTUAL_MACHINES:
            continue
        link = judge(view)
        if link is not None:
            yield link.step(check)
            if link.outcome is StepOutcome.FAIL:
                return
