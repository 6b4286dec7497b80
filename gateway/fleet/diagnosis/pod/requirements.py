"""What a pod's selector and affinity require of a node's labels, and which of it a node does not meet."""

from collections.abc import Iterator
from dataclasses import replace

from gateway.fleet.constraints import Constraints, NodeTerm
from gateway.fleet.node import KubernetesNode
from gateway.fleet.selector import LabelSelector, Operator, Requirement

_WORDS = {Operator.IN: "in", Operator.NOT_IN: "not in", Operator.GREATER_THAN: ">", Operator.LESS_THAN: "<"}
_NAME = "metadata.name"


def unmet(constraints: Constraints, node: KubernetesNode) -> tuple[Requirement, ...]:
    """What a node lacks of the selector, and of that term which it comes nearest to."""
    selector = _lacking(constraints.node_selector.requirements, node)
    terms = [_unmet_of(term, node) for term in constraints.node_terms or ()]
    return (*selector, *min(terms, key=len, default=()))


def every(constraints: Constraints) -> Iterator[Requirement]:
    """All that is required of labels, each once."""
    terms = constraints.node_terms or ()
    asked = (constraints.node_selector.requirements, *(term.labels.requirements for term in terms))
    yield from dict.fromkeys(one for requirements in asked for one in requirements)


def without(constraints: Constraints, dropped: tuple[Requirement, ...]) -> Constraints:
    """The same, not requiring these; where no term is left that requires anything, any node does."""
    terms = tuple(_term_without(term, dropped) for term in constraints.node_terms or ())
    open_to_all = any(not term.labels.requirements and not term.names for term in terms)
    return replace(
        constraints,
        node_selector=_selector_without(constraints.node_selector, dropped),
        node_terms=None if open_to_all or not terms else terms,
    )


def written(requirement: Requirement) -> str:
    """A requirement in words."""
    values = ", ".join(sorted(requirement.values))
    if requirement.operator is Operator.EXISTS:
        return f"the label {requirement.key}"
    if requirement.operator is Operator.DOES_NOT_EXIST:
        return f"no label {requirement.key}"
    if requirement.operator is Operator.IN and len(requirement.values) == 1:
        return f"{requirement.key}={values}"
    said = _WORDS[requirement.operator]
    return f"{requirement.key} {said} " + (f"({values})" if "in" in said else values)


def value_of(requirement: Requirement, node: KubernetesNode) -> str | None:
    """What a node has where this is required; None where it has no such label."""
    return node.name if requirement.key == _NAME else node.labels.get(requirement.key)


def _unmet_of(term: NodeTerm, node: KubernetesNode) -> tuple[Requirement, ...]:
    fields = {_NAME: node.name}
    names = (one for one in term.names if not one.matches(fields))
    return (*_lacking(term.labels.requirements, node), *names)


def _lacking(requirements: tuple[Requirement, ...], node: KubernetesNode) -> tuple[Requirement, ...]:
    return tuple(one for one in requirements if not one.matches(node.labels))


def _term_without(term: NodeTerm, dropped: tuple[Requirement, ...]) -> NodeTerm:
    names = tuple(one for one in term.names if one not in dropped)
    return replace(term, labels=_selector_without(term.labels, dropped), names=names)


def _selector_without(selector: LabelSelector, dropped: tuple[Requirement, ...]) -> LabelSelector:
    return LabelSelector(requirements=tuple(one for one in selector.requirements if one not in dropped))
