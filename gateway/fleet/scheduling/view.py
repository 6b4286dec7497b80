"""What a scheduler sees of a cluster: its nodes, the pods that hold something there, its namespaces."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingPart
from gateway.fleet.reasons.wordings import part
from gateway.fleet.unknown import Unknown

Labels: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A node on which a pod might be put."""

    node: KubernetesNode
    pods: tuple[Pod, ...] | Unknown
    """Bound to it and not ended; those that are leaving hold what they have until they left."""
    nominated: tuple[Pod, ...] = ()
    """For whom room is made, or kept, on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """All of it at one moment."""

    candidates: Mapping[str, Candidate]
    """By the node's name."""
    silent: Mapping[str, Unknown]
    """Nodes of which Kubernetes does not tell at present."""
    namespaces: Mapping[str, Labels] | None = None
    """The labels of each; None where they are not known."""

    def without(self, name: str, leaving: Iterable[Pod]) -> "ClusterView":
        """The same cluster once these pods have left a node."""
        pods, gone = self.candidates[name].pods, {(pod.namespace, pod.name) for pod in leaving}
        if isinstance(pods, Unknown):
            return self
        staying = tuple(pod for pod in pods if (pod.namespace, pod.name) not in gone)
        return self._with(name, staying)

    def crowded(self, name: str, coming: tuple[Pod, ...]) -> "ClusterView":
        """The same cluster once these pods run on a node too."""
        pods = self.candidates[name].pods
        return self if isinstance(pods, Unknown) else self._with(name, (*pods, *coming))

    def _with(self, name: str, pods: tuple[Pod, ...]) -> "ClusterView":
        changed = replace(self.candidates[name], pods=pods)
        return replace(self, candidates={**self.candidates, name: changed})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a node does not do."""

    reasons: tuple[PendingPart, ...]
    resolvable: bool
    """Whether it might do if pods left it."""


Judgement: TypeAlias = Refusal | Unknown | None
"""Why a node does not do, or why nobody can say, or None: nothing speaks against it."""
Filter: TypeAlias = Callable[[Candidate], Judgement]


def view_of(
    nodes: Iterable[Node], namespaces: Mapping[str, Labels] | None = None, waiting: Iterable[Pod] = ()
) -> ClusterView:
    """What a scheduler sees of these machines; those that Kubernetes does not know are none of it."""
    nominated: defaultdict[str | None, list[Pod]] = defaultdict(list)
    for pod in waiting:
        nominated[pod.nominated_node].append(pod)
    candidates: dict[str, Candidate] = {}
    silent: dict[str, Unknown] = {}
    for node in nodes:
        if isinstance(node.kubernetes, Unknown):
            silent[node.name] = node.kubernetes
        elif node.kubernetes is not None:
            candidates[node.name] = Candidate(
                node=node.kubernetes,
                pods=_holding(node.pods),
                nominated=tuple(nominated.get(node.name, ())),
            )
    return ClusterView(candidates=candidates, silent=silent, namespaces=namespaces)


def refusal(*texts: str, resolvable: bool = False) -> Refusal:
    """Refuse in the words of kube-scheduler."""
    return Refusal(reasons=tuple(part(1, text) for text in texts), resolvable=resolvable)


def _holding(pods: tuple[Pod, ...] | Unknown) -> tuple[Pod, ...] | Unknown:
    return pods if isinstance(pods, Unknown) else tuple(pod for pod in pods if not pod.ended)
