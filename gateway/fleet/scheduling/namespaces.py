"""In which namespaces a rule about other pods looks for them."""

from gateway.errors import System
from gateway.fleet.constraints import PodTerm
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.view import ClusterView
from gateway.fleet.unknown import Unknown, undetermined

_NAME = "kubernetes.io/metadata.name"
"""A label that every namespace has (1.22 and later)."""


def means(term: PodTerm, owner: Pod, other: Pod, view: ClusterView) -> bool | Unknown:
    """Whether a term of one pod means the other."""
    if term.selector is None or not term.selector.matches(other.labels):
        return False
    return _looks_in(term, owner, other.namespace, view)


def _looks_in(term: PodTerm, owner: Pod, namespace: str, view: ClusterView) -> bool | Unknown:
    selector = term.namespace_selector
    if namespace in term.namespaces:
        return True
    if selector is None:
        return not term.namespaces and namespace == owner.namespace
    labels = None if view.namespaces is None else view.namespaces.get(namespace)
    if labels is None and any(one.key != _NAME for one in selector.requirements):
        return undetermined(System.KUBERNETES, f"the labels of namespace {namespace} are not known")
    return selector.matches(labels or {_NAME: namespace})
