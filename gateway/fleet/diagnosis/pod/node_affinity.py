"""NODE_AFFINITY: whether nodes are as the pod's selector and its affinity to nodes require."""

from collections import Counter
from collections.abc import Iterator

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, constraints_of, devices_of
from gateway.fleet.diagnosis.pod.requirements import unmet, value_of, written
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node, of_nodes, scope, some
from gateway.fleet.selector import Requirement

_CHECK = DiagnosisCheck.NODE_AFFINITY
_VALUES = 5


def node_affinity(case: Case) -> DiagnosisStep:
    """Judge the requirements one by one: who lacks the label, and what the others have in its place."""
    outcome, refused = case.outcome(_CHECK), case.refused[_CHECK]
    if not refused:
        return DiagnosisStep(check=_CHECK, outcome=outcome, finding=_untroubled(outcome))
    which = f"{of_nodes(refused, case.candidates)}{scope(case, devices_of(case.pod))}"
    return DiagnosisStep(
        check=_CHECK,
        outcome=outcome,
        finding=f"not met by {which}: {'; '.join(_parts(case, refused))}",
        evidence=tuple(_evidence(case, refused)),
    )


def _untroubled(outcome: StepOutcome) -> str:
    if outcome is StepOutcome.UNKNOWN:
        return "which nodes are as its selector and affinity require is not known"
    return "every node is as its selector and affinity require"


def _failing(case: Case, refused: frozenset[str]) -> Counter[Requirement]:
    """What is not met, and by how many nodes."""
    constraints = constraints_of(case.pod)
    nodes = (case.view.candidates[name].node for name in sorted(refused))
    return Counter(one for node in nodes for one in unmet(constraints, node))


def _parts(case: Case, refused: frozenset[str]) -> Iterator[str]:
    failing = _failing(case, refused).most_common(SHOWN)
    if not failing:
        yield "its terms exclude each other, or require nothing at all, which no node meets"
    for requirement, _ in failing:
        having = {name: _value(case, name, requirement) for name in sorted(refused)}
        lacking = [name for name, value in having.items() if value is None]
        values = Counter(value for value in having.values() if value is not None)
        others = ", ".join(f"{value} ({count})" for value, count in values.most_common(_VALUES))
        told = [f"without the label: {some(lacking)}"] if lacking else []
        told += [f"the nodes have {others}"] if others else []
        yield f"{written(requirement)} is required; {', '.join(told)}"


def _value(case: Case, name: str, requirement: Requirement) -> str | None:
    return value_of(requirement, case.view.candidates[name].node)


def _evidence(case: Case, refused: frozenset[str]) -> Iterator[Evidence]:
    for requirement in list(_failing(case, refused))[:SHOWN]:
        name = min(refused, key=lambda one: (_value(case, one, requirement) is None, one))
        path = f"metadata.labels[{requirement.key}]"
        yield of_node(case, name, path, _value(case, name, requirement))
