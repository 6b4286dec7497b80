"""One change, and what a pod and a node would be after it."""

from dataclasses import dataclass

from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.view import Candidate, Refusal

_COST = {
    RemedyAction.WAIT: 0,
    RemedyAction.UNCORDON: 1,
    RemedyAction.ADD_TOLERATION: 2,
    RemedyAction.CHANGE_REQUEST: 3,
    RemedyAction.FREE_WORKLOADS: 4,
    RemedyAction.CHANGE_MIG_LAYOUT: 5,
    RemedyAction.REPAIR_NODE: 6,
    RemedyAction.CHANGE_TARGET: 7,
}
"""What hurts least comes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A node that refuses a pod, as both are after the changes before."""

    pod: Pod
    node: Node
    candidate: Candidate
    refusal: Refusal

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Cure:
    """One change."""

    check: DiagnosisCheck
    """The check that it is for."""
    action: RemedyAction
    text: str
    """What to do, without a full stop."""
    subject: str
    """The id of what to do it to."""
    pod: Pod
    """As it would be."""
    candidate: Candidate
    """The node, as it would be."""
    evicts: int = 0
    """How many pods would lose what they have."""

    @property
    def cost(self) -> int:
        """How much it hurts, beside others."""
        return 10 * _COST[self.action] + self.evicts
