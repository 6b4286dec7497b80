"""Judges machines for an ask, each by the pod that would ask for it there."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TypeAlias

from gateway.errors import System
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.offered import meant, offered
from gateway.fleet.fits.stand_in import stand_in
from gateway.fleet.node import Node
from gateway.fleet.reasons.reason import PendingCode, PendingPart
from gateway.fleet.scheduling.verdict import NodeVerdict, verdicts
from gateway.fleet.scheduling.view import ClusterView, Refusal
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown, undetermined

Seen: TypeAlias = ClusterView | Unknown
"""What a scheduler sees of a cluster; unknown while Kubernetes is silent."""


def judged(nodes: Iterable[Node], ask: Ask, seen: Seen) -> tuple[JudgedNode, ...]:
    """Judge machines of one cluster, in the order in which they come."""

    @cache
    def said(resource: str | None) -> Mapping[str, NodeVerdict]:
        if isinstance(seen, Unknown):
            return {}
        return {one.node: one for one in verdicts(stand_in(ask, resource), seen)}

    def verdict(node: Node) -> NodeVerdict:
        before = meant(node, ask)
        if isinstance(before, Refusal):
            return _refused(node, before)
        resource = offered(node, ask)
        found = said(resource if isinstance(resource, str) else None).get(node.name)
        scheduler = found or NodeVerdict(node=node.name, fits=_unseen(node, seen))
        if scheduler.fits is False:
            return scheduler
        if isinstance(resource, Refusal):
            return _refused(node, resource)
        unknown = first_unknown(before, resource, scheduler.fits)
        return NodeVerdict(node=node.name, fits=unknown or True, reasons=_unseen_work(node))

    return tuple(JudgedNode(node=node, verdict=verdict(node)) for node in nodes)


def _unseen_work(node: Node) -> tuple[PendingPart, ...]:
    """What a scheduler of Kubernetes does not see: it would put the pod there all the same."""
    return tuple(
        PendingPart(nodes=1, code=PendingCode.OTHER, text=f"job {job.job_id} of Slurm holds the machine too")
        for job in node.held_by_slurm
    )


def _refused(node: Node, why: Refusal) -> NodeVerdict:
    return NodeVerdict(node=node.name, fits=False, reasons=why.reasons)


def _unseen(node: Node, seen: Seen) -> Unknown:
    if isinstance(seen, Unknown):
        return seen
    return undetermined(System.KUBERNETES, f"{node.name} is not among the machines that a scheduler sees")
