"""Affinity of pods to one another, of this pod and of those that run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TypeAlias

from gateway.fleet.constraints import Constraints, PodTerm
from gateway.fleet.node import KubernetesNode
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.namespaces import means
from gateway.fleet.scheduling.view import Candidate, ClusterView, Filter, Judgement, Labels, refusal
from gateway.fleet.unknown import Unknown

Place: TypeAlias = tuple[str, str]
"""A label of nodes and its value."""
_Places: TypeAlias = Counter[Place]


def beside(pod: Pod, terms: tuple[PodTerm, ...], view: ClusterView) -> Filter:
    """Refuse nodes where none of the pods is that it must be with."""

    @cache
    def found() -> _Places | bool | Unknown:
        places = _count(_all_meant(terms, pod, view))
        if isinstance(places, Unknown) or places:
            return places
        # Nobody is there yet: the first of a group that wants to be together may go anywhere.
        return _all(means(term, pod, pod, view) for term in terms)

    return lambda candidate: _beside(terms, candidate.node.labels, found) if terms else None


def apart(pod: Pod, terms: tuple[PodTerm, ...], view: ClusterView) -> Filter:
    """Refuse nodes where a pod is that it must not be with."""

    @cache
    def places() -> _Places | Unknown:
        return _count(_meant(terms, pod, view))

    def judge(candidate: Candidate) -> Judgement:
        found = places() if terms else None
        if found is None or isinstance(found, Unknown):
            return found
        keys = {term.topology_key for term in terms}
        if any(found[place] for place in candidate.node.labels.items() if place[0] in keys):
            return refusal("node(s) didn't match pod anti-affinity rules", resolvable=True)
        return None

    return judge


def shunned(pod: Pod, view: ClusterView) -> Filter:
    """Refuse nodes where a pod is that must not be with this one."""

    @cache
    def places() -> _Places | Unknown:
        return _count(_shunning(pod, view))

    def judge(candidate: Candidate) -> Judgement:
        found = places()
        if isinstance(found, Unknown):
            return found
        if any(found[place] for place in candidate.node.labels.items()):
            return refusal("node(s) didn't satisfy existing pods anti-affinity rules", resolvable=True)
        return None

    return judge


def _beside(
    terms: tuple[PodTerm, ...], labels: Labels, found: Callable[[], _Places | bool | Unknown]
) -> Judgement:
    refused = refusal("node(s) didn't match pod affinity rules")
    if any(term.topology_key not in labels for term in terms):
        return refused
    places = found()
    if isinstance(places, Unknown):
        return places
    if isinstance(places, bool):
        return None if places else refused
    met = all(places[term.topology_key, labels[term.topology_key]] for term in terms)
    return None if met else refused


_Found: TypeAlias = Iterator[tuple[PodTerm, KubernetesNode] | Unknown]


def _all_meant(terms: tuple[PodTerm, ...], pod: Pod, view: ClusterView) -> _Found:
    """Pods that every term means."""
    for node, other in _running(view):
        if isinstance(other, Unknown):
            yield other
            continue
        meant = _all(means(term, pod, other, view) for term in terms)
        if isinstance(meant, Unknown):
            yield meant
        elif meant:
            yield from ((term, node) for term in terms)


def _meant(terms: tuple[PodTerm, ...], pod: Pod, view: ClusterView) -> _Found:
    """Pods that a term means."""
    for node, other in _running(view):
        if isinstance(other, Unknown):
            yield other
            continue
        for term in terms:
            meant = means(term, pod, other, view)
            if meant:
                yield meant if isinstance(meant, Unknown) else (term, node)


def _shunning(pod: Pod, view: ClusterView) -> _Found:
    """Terms of running pods that mean this one."""
    for node, other in _running(view):
        if isinstance(other, Unknown):
            yield other
        elif isinstance(other.constraints, Constraints):
            for term in other.constraints.apart:
                meant = means(term, other, pod, view)
                if meant:
                    yield meant if isinstance(meant, Unknown) else (term, node)
        else:
            yield other.constraints


def _running(view: ClusterView) -> Iterator[tuple[KubernetesNode, Pod | Unknown]]:
    for candidate in view.candidates.values():
        if isinstance(candidate.pods, Unknown):
            yield candidate.node, candidate.pods
        else:
            for pod in candidate.pods:
                yield candidate.node, pod


def _count(found: _Found) -> _Places | Unknown:
    """The places of these pods; a node without the label is in none."""
    places: _Places = Counter()
    for one in found:
        if isinstance(one, Unknown):
            return one
        term, node = one
        if term.topology_key in node.labels:
            places[term.topology_key, node.labels[term.topology_key]] += 1
    return places


def _all(answers: Iterable[bool | Unknown]) -> bool | Unknown:
    """No counts before what is not known."""
    told = tuple(answers)
    if False in told:
        return False
    return next((answer for answer in told if isinstance(answer, Unknown)), True)
