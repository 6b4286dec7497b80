"""TAINTS: whether nodes keep the pod away, by a cordon or by taints that it does not tolerate."""

from collections import defaultdict
from collections.abc import Iterator

from gateway.fleet.alert import Evidence
from gateway.fleet.constraints import Toleration
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, constraints_of, devices_of
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node, of_nodes, of_pod, scope, some, written
from gateway.fleet.node import KubernetesNode, Taint
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.taints import untolerated

CORDON = "node.kubernetes.io/unschedulable"
"""The taint that Kubernetes sets beside a cordon."""
_CHECK = DiagnosisCheck.TAINTS


def taints(case: Case) -> DiagnosisStep:
    """Judge cordons and taints; a taint must be tolerated by key, value and effect."""
    outcome, refused = case.outcome(_CHECK), case.refused[_CHECK]
    if not refused:
        said = "no node keeps it away by a cordon or a taint"
        if outcome is StepOutcome.UNKNOWN:
            said = "which nodes keep it away by a cordon or a taint is not known"
        return DiagnosisStep(check=_CHECK, outcome=outcome, finding=said)
    kept = f"{of_nodes(refused, case.candidates)}{scope(case, devices_of(case.pod))}"
    parts = [*_cordons(case), *_tainted(case)]
    return DiagnosisStep(
        check=_CHECK,
        outcome=outcome,
        finding=f"kept away by {kept}: {'; '.join(parts)}",
        evidence=tuple(_evidence(case)),
    )


def near_miss(taint: Taint, tolerations: tuple[Toleration, ...]) -> str | None:
    """What a toleration of this very key lacks."""
    for one in tolerations:
        if one.key != taint.key:
            continue
        if one.effect not in {"", taint.effect}:
            return f"it is tolerated with effect {one.effect} alone"
        return f"it is tolerated with {one.operator} {one.value!r} alone"
    return None


def _cordoned(case: Case) -> list[str]:
    return sorted(name for name in case.candidates if _says(case, name, PendingCode.CORDONED))


def _says(case: Case, name: str, code: PendingCode) -> bool:
    return any(part.code is code for one in case.objections[name].refusals for part in one.reasons)


def _cordons(case: Case) -> Iterator[str]:
    cordoned = _cordoned(case)
    if cordoned:
        yield f"cordoned: {some(cordoned)}"


def _by_taint(case: Case) -> dict[Taint, list[str]]:
    """The nodes by the first of their taints that keeps it away."""
    found: defaultdict[Taint, list[str]] = defaultdict(list)
    tolerations = constraints_of(case.pod).tolerations
    for name in sorted(case.candidates):
        taint = untolerated(_beside_cordon(case.view.candidates[name].node), tolerations)
        if taint is not None and _says(case, name, PendingCode.UNTOLERATED_TAINT):
            found[taint].append(name)
    return found


def _beside_cordon(node: KubernetesNode) -> Iterator[Taint]:
    """Its taints without that of a cordon, which is told as such."""
    return (one for one in node.taints if not (node.cordoned and one.key == CORDON))


def _tainted(case: Case) -> Iterator[str]:
    tolerations = constraints_of(case.pod).tolerations
    for taint, names in _by_taint(case).items():
        near = near_miss(taint, tolerations)
        yield f"taint {written(taint)} on {some(names)}" + (f" ({near})" if near else "")


def _evidence(case: Case) -> Iterator[Evidence]:
    for name in _cordoned(case)[:SHOWN]:
        yield of_node(case, name, "spec.unschedulable", "true")
    for taint, names in list(_by_taint(case).items())[:SHOWN]:
        yield of_node(case, names[0], "spec.taints", written(taint))
    tolerated = ", ".join(
        f"{one.key or 'every key'} {one.operator} {one.value}".strip()
        for one in constraints_of(case.pod).tolerations
    )
    yield of_pod(case, "spec.tolerations", tolerated or None)
