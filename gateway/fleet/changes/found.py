"""Finds what a change names in the fleet, or says that it is not there."""

from dataclasses import replace

from gateway.fleet.change import NodeChange
from gateway.fleet.changes.judgement import Judgement
from gateway.fleet.changes.refusals import not_found, undecided
from gateway.fleet.changes.work import impact_on
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.planned import Plan
from gateway.fleet.planned_node import named, planned_node
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown


def machine(change: NodeChange, fleet: Fleet) -> Node | Judgement:
    """The machine that a change is about, whichever system knows it; what to say where none does."""
    node = fleet.node(change.cluster, change.node)
    if node is not None:
        return node
    if change.cluster not in fleet.clusters:
        nowhere = not_found("cluster", change.cluster, fleet.clusters, "node", "cluster")
        return Judgement(change=change, problem=nowhere, impact=None)
    nodes, slurm = fleet.nodes(change.cluster), fleet.slurm_silence(change.cluster)
    silent = first_unknown(nodes, fleet.platform, slurm)
    if silent:
        said = f"whether there is a {named(change)} is not known"
        impact = impact_on(silent, said, cards=silent)
        return Judgement(change=change, problem=undecided(silent, said, "node", "name"), impact=impact)
    names = (name for _, name in fleet.listings.nodes.group("cluster", change.cluster))
    nowhere = not_found(f"node of {change.cluster} called", change.node, names, "node", "name")
    return Judgement(change=change, problem=nowhere, impact=None)


def plan_of(change: NodeChange, node: Node) -> Plan:
    """What a change alters of a machine's record; this may be late, so the writer tells of its generation."""
    record = node.record
    if isinstance(record, Unknown):
        return undecided(record, _untold(change), "node")
    unread = record and first_unknown(record.desired, record.observed)
    if unread:
        return undecided(unread, _untold(change), "node")
    return planned_node(replace(change, if_generation=None), record)


def _untold(change: NodeChange) -> str:
    return f"what is recorded of {named(change)} is not known"
