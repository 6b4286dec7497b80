"""Topology spread: no place may hold many more of a pod's like than the emptiest one."""

from collections import Counter
from collections.abc import Iterator
from functools import cache

from gateway.fleet.constraints import Constraints, Spread
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.node_affinity import admits
from gateway.fleet.scheduling.taints import untolerated
from gateway.fleet.scheduling.view import Candidate, ClusterView, Filter, Judgement, refusal
from gateway.fleet.selector import LabelSelector, Operator, Requirement
from gateway.fleet.unknown import Unknown


def spread(pod: Pod, constraints: Constraints, view: ClusterView) -> Filter:
    """Refuse nodes outside all places, and those in places that hold too many already."""

    @cache
    def places(rule: Spread) -> Counter[str] | Unknown:
        return _places(rule, pod, constraints, view)

    def judge(candidate: Candidate) -> Judgement:
        for rule in constraints.spread:
            place = candidate.node.labels.get(rule.topology_key)
            if place is None:
                return refusal(
                    "node(s) didn't match pod topology spread constraints (missing required label)"
                )
            found = places(rule)
            if isinstance(found, Unknown):
                return found
            if _skew(rule, found, place, pod) > rule.max_skew:
                return refusal("node(s) didn't match pod topology spread constraints", resolvable=True)
        return None

    return judge


def _skew(rule: Spread, places: Counter[str], place: str, pod: Pod) -> int:
    least = min(places.values()) if len(places) >= rule.least_domains else 0
    like = _like(rule, pod)
    return places[place] + (like is not None and like.matches(pod.labels)) - least


def _places(rule: Spread, pod: Pod, constraints: Constraints, view: ClusterView) -> Counter[str] | Unknown:
    """How many of its like each place holds, 0 where none."""
    places: Counter[str] = Counter()
    like = _like(rule, pod)
    for candidate in _eligible(rule, constraints, view):
        if isinstance(candidate.pods, Unknown):
            return candidate.pods
        alike = sum(_counts(like, pod, other) for other in candidate.pods) if like else 0
        places[candidate.node.labels[rule.topology_key]] += alike
    return places


def _eligible(rule: Spread, constraints: Constraints, view: ClusterView) -> Iterator[Candidate]:
    """Nodes that are in a place by every rule, and that this rule does not leave out."""
    keys = {one.topology_key for one in constraints.spread}
    for candidate in view.candidates.values():
        node = candidate.node
        if not keys <= node.labels.keys():
            continue
        if rule.heeds_affinity and not admits(constraints, node):
            continue
        if rule.heeds_taints and untolerated(node.taints, constraints.tolerations):
            continue
        yield candidate


def _counts(like: LabelSelector, pod: Pod, other: Pod) -> bool:
    """Whether another pod is its like; pods that are leaving do not count, nor any for an empty selector."""
    if other.namespace != pod.namespace or other.terminating:
        return False
    return bool(like.requirements) and like.matches(other.labels)


def _like(rule: Spread, pod: Pod) -> LabelSelector | None:
    if rule.selector is None:
        return None
    same = (
        Requirement(key=key, operator=Operator.IN, values=frozenset({pod.labels[key]}))
        for key in rule.same_value_of
        if key in pod.labels
    )
    return LabelSelector(requirements=(*rule.selector.requirements, *same))
