"""Cures for cordons and taints."""

from dataclasses import replace

from gateway.fleet.alert import RemedyAction
from gateway.fleet.constraints import Toleration
from gateway.fleet.desired import NodeDesired
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.diagnosis.pod.case import constraints_of
from gateway.fleet.diagnosis.pod.cures.cure import Cure, Situation
from gateway.fleet.diagnosis.pod.taints import CORDON
from gateway.fleet.diagnosis.pod.words import written
from gateway.fleet.node import Node, Taint
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.scheduling.taints import untolerated
from gateway.fleet.scheduling.view import Candidate

_CHECK = DiagnosisCheck.TAINTS
_BY_KUBERNETES = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""Taints that tell of the node's state: they go when it is well again."""


def uncordon(situation: Situation) -> Cure:
    """Let work onto the node again."""
    candidate = _without(situation.candidate, CORDON)
    return Cure(
        check=_CHECK,
        action=RemedyAction.UNCORDON,
        text=f"uncordon {situation.name}{_reason(situation.node)}",
        subject=situation.node.id,
        pod=situation.pod,
        candidate=replace(candidate, node=replace(candidate.node, cordoned=False)),
    )


def untaint(situation: Situation) -> Cure | None:
    """Tolerate the first taint that keeps the pod away, or end what it is there for."""
    taint = untolerated(situation.candidate.node.taints, constraints_of(situation.pod).tolerations)
    if taint is None:
        return None
    if taint.key == CORDON:
        return uncordon(situation)
    if taint.key.startswith(_BY_KUBERNETES):
        text = f"mend {situation.name}: Kubernetes taints it {taint.key.partition('/')[2]}"
        return _remove(situation, taint, RemedyAction.REPAIR_NODE, text)
    record = situation.node.record
    if isinstance(record, NodeRecord) and record.target is Target.SLURM:
        text = (
            f"assign {situation.name}, which serves Slurm, to Kubernetes, and take its taint {taint.key} away"
        )
        return _remove(situation, taint, RemedyAction.CHANGE_TARGET, text)
    return _tolerate(situation, taint)


def _reason(node: Node) -> str:
    """Why somebody wanted the cordon, where that was written down."""
    desired = node.record.desired if isinstance(node.record, NodeRecord) else None
    if not isinstance(desired, NodeDesired) or not desired.cordoned or not desired.cordon_reason:
        return ""
    return f" (cordoned by {desired.changed_by}: {desired.cordon_reason})"


def _tolerate(situation: Situation, taint: Taint) -> Cure:
    pod, constraints = situation.pod, constraints_of(situation.pod)
    added = Toleration(key=taint.key, operator="Equal", value=taint.value or "", effect=taint.effect)
    tolerating = replace(constraints, tolerations=(*constraints.tolerations, added))
    return Cure(
        check=_CHECK,
        action=RemedyAction.ADD_TOLERATION,
        text=f"tolerate {written(taint)}",
        subject=pod.id,
        pod=replace(pod, constraints=tolerating),
        candidate=situation.candidate,
    )


def _remove(situation: Situation, taint: Taint, action: RemedyAction, text: str) -> Cure:
    return Cure(
        check=_CHECK,
        action=action,
        text=text,
        subject=situation.node.id,
        pod=situation.pod,
        candidate=_without(situation.candidate, taint.key),
    )


def _without(candidate: Candidate, key: str) -> Candidate:
    left = tuple(one for one in candidate.node.taints if one.key != key)
    return replace(candidate, node=replace(candidate.node, taints=left))
