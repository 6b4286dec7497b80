"""The way from a machine's cards to the scheduler."""

import strawberry

from gateway.fleet.diagnosis.chain.chain import gpu_chain as judged
from gateway.fleet.diagnosis.diagnosis import DiagnosisStep
from gateway.fleet.node import Node
from gateway.fleet.unknown import Maybe
from resolvers.context import Info


def gpu_chain(node: strawberry.Parent[Node], info: Info) -> Maybe[list[DiagnosisStep]]:
    """The way from the card to the scheduler, link by link, up to the first that is broken.

    Null where Kubernetes does not know the machine.
    """
    return judged(node, info.context.fleet)
