"""What a node says by itself: by every rule but those about the pods of other nodes, which cost much."""

from dataclasses import replace

from gateway.fleet.constraints import Constraints
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.verdict import judge
from gateway.fleet.scheduling.view import Candidate, ClusterView, Judgement, Refusal

APART = "node(s) didn't match pod anti-affinity rules"
SHUNNED = "node(s) didn't satisfy existing pods anti-affinity rules"
_FAR = {PendingCode.TOPOLOGY, PendingCode.POD_AFFINITY}


def near(pod: Pod, candidate: Candidate) -> Judgement:
    """Judge a node as if there were no other."""
    name = candidate.node.name
    alone = ClusterView(candidates={name: candidate}, silent={}, namespaces={})
    constraints = pod.constraints
    if isinstance(constraints, Constraints):
        pod = replace(pod, constraints=replace(constraints, spread=(), beside=(), apart=()))
    said = judge(pod, name, alone)
    is_far = isinstance(said, Refusal) and said.reasons[0].code in _FAR
    return None if is_far else said
