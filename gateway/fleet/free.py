"""What a machine's scheduler has left to give, whether or not new work may come."""

from gateway.errors import System
from gateway.fleet.gpu import ExtendedResource, NodeGpus
from gateway.fleet.node import Node
from gateway.fleet.platform import Target
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.sums import above, total
from gateway.fleet.terms import target_of
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined


def free_cards(node: Node) -> Maybe[int]:
    """Count the whole cards of a machine that its scheduler's work neither asks for nor holds."""
    return _free_by_slurm(node) if _is_slurms(node) else _free_by_kubernetes(node)


def _is_slurms(node: Node) -> bool:
    """Whether its record says that Slurm schedules it, or says nothing and only Slurm may know it."""
    target = target_of(node)
    return target is Target.SLURM or (target is None and node.kubernetes is None)


def _free_by_slurm(node: Node) -> Maybe[int]:
    if not isinstance(node.slurm, SlurmNode):
        return node.slurm
    cards = [one for one in node.slurm.gres if one.unit is GpuUnit.CARD]
    return total((one.name, above(one.configured, one.used)) for one in cards) if cards else None


def _free_by_kubernetes(node: Node) -> Maybe[int]:
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else node.gpus
    if resources is None or isinstance(resources, Unknown):
        return resources
    return total((one.name, _cards_free(one)) for one in resources)


def _cards_free(resource: ExtendedResource) -> Maybe[int]:
    """What is free of a resource, where it counts whole cards."""
    if resource.unit is None and resource.free != 0:
        return undetermined(System.KUBERNETES, "nothing tells whether it counts cards")
    return resource.free if resource.unit is GpuUnit.CARD else 0
