"""Which nodes a pod's node selector and its affinity to nodes admit."""

from collections.abc import Iterable

from gateway.fleet.constraints import Constraints, NodeTerm
from gateway.fleet.node import KubernetesNode
from gateway.fleet.scheduling.view import Candidate, Filter, Judgement, refusal
from gateway.fleet.selector import Operator

_NAME = "metadata.name"


def admits(constraints: Constraints, node: KubernetesNode) -> bool:
    """Whether the selector and one of the terms match."""
    if not constraints.node_selector.matches(node.labels):
        return False
    terms = constraints.node_terms
    return terms is None or any(_matches(term, node) for term in terms)


def affinity(constraints: Constraints) -> Filter:
    """Refuse nodes that are not admitted."""

    def judge(candidate: Candidate) -> Judgement:
        if admits(constraints, candidate.node):
            return None
        return refusal("node(s) didn't match Pod's node affinity/selector")

    return judge


def named_nodes(constraints: Constraints) -> Filter:
    """Refuse all but the nodes that are asked for by name, before anything else is looked at."""
    names = _names(constraints.node_terms)

    def judge(candidate: Candidate) -> Judgement:
        if names is None or candidate.node.name in names:
            return None
        if not names:
            return refusal("pod affinity terms conflict")
        return refusal("node(s) didn't satisfy plugin(s) [NodeAffinity]")

    return judge


def _matches(term: NodeTerm, node: KubernetesNode) -> bool:
    if not term.labels.requirements and not term.names:
        return False
    fields = {_NAME: node.name}
    return term.labels.matches(node.labels) and all(one.matches(fields) for one in term.names)


def _names(terms: Iterable[NodeTerm] | None) -> frozenset[str] | None:
    """The nodes that are named, where every term names some; none: the terms contradict themselves."""
    named = [_named(term) for term in terms or ()]
    if not named or None in named:
        return None
    return frozenset().union(*(names for names in named if names is not None))


def _named(term: NodeTerm) -> frozenset[str] | None:
    lists = [one.values for one in term.names if one.key == _NAME and one.operator is Operator.IN]
    return frozenset.intersection(*lists) if lists else None
