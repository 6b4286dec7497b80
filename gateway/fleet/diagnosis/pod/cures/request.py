"""Cures by a change of what the pod demands of its node, beside resources."""

from dataclasses import replace

from gateway.fleet.alert import RemedyAction
from gateway.fleet.constraints import Constraints
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.diagnosis.pod.case import constraints_of
from gateway.fleet.diagnosis.pod.cures.cure import Cure, Situation
from gateway.fleet.diagnosis.pod.requirements import unmet, value_of, without, written


def open_affinity(situation: Situation) -> Cure | None:
    """Do not require what the node is not; each pod of a DaemonSet is for the node that it names."""
    node, constraints = situation.candidate.node, constraints_of(situation.pod)
    lacking = unmet(constraints, node)
    if _is_of_daemon_set(situation) and any(one.key == "metadata.name" for one in lacking):
        return None
    if not lacking:
        text = "take the terms of its affinity to nodes out: they admit no node"
        return _changed(situation, DiagnosisCheck.NODE_AFFINITY, text, replace(constraints, node_terms=None))
    parts = "; ".join(f"{written(one)}, {_instead(value_of(one, node), situation.name)}" for one in lacking)
    text = f"do not require {parts}"
    return _changed(situation, DiagnosisCheck.NODE_AFFINITY, text, without(constraints, lacking))


def free_port(situation: Situation) -> Cure:
    """Do not ask for a port of the node."""
    constraints = replace(constraints_of(situation.pod), host_ports=())
    text = "ask for other ports of the node, or for none (hostPort)"
    return _changed(situation, DiagnosisCheck.OTHER, text, constraints)


def open_spread(situation: Situation) -> Cure | None:
    """Do not hold to the spread over places."""
    constraints = constraints_of(situation.pod)
    if not constraints.spread:
        return None
    keys = ", ".join(sorted({one.topology_key for one in constraints.spread}))
    text = f"let its topologySpreadConstraints over {keys} be ScheduleAnyway, or allow a larger skew"
    return _changed(situation, DiagnosisCheck.OTHER, text, replace(constraints, spread=()))


def open_pod_affinity(situation: Situation) -> Cure | None:
    """Do not require to be with other pods, or apart from them; what others demand stays."""
    constraints = constraints_of(situation.pod)
    if not constraints.beside and not constraints.apart:
        return None
    text = "let its affinity to other pods be preferred, and not required"
    return _changed(situation, DiagnosisCheck.OTHER, text, replace(constraints, beside=(), apart=()))


def _is_of_daemon_set(situation: Situation) -> bool:
    return (situation.pod.controller or "").startswith("DaemonSet/")


def _instead(value: str | None, name: str) -> str:
    return f"{name} has no such label" if value is None else f"{name} has {value}"


def _changed(situation: Situation, check: DiagnosisCheck, text: str, constraints: Constraints) -> Cure:
    return Cure(
        check=check,
        action=RemedyAction.CHANGE_REQUEST,
        text=text,
        subject=situation.pod.id,
        pod=replace(situation.pod, constraints=constraints),
        candidate=situation.candidate,
    )
