"""What the fleet tells beside what is read live: what a layout comes to, Slurm, the other nodes."""

from collections.abc import Iterator, Sequence

from gateway.controllers.node_reconciler.plan import is_in_work
from gateway.controllers.node_reconciler.sight import Aim, Others, has_failed
from gateway.errors import System
from gateway.fleet.desired import BlockCause, Blocker, MigLayout
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.layout_text import layout_name, layout_text
from gateway.fleet.node import Node
from gateway.fleet.placement.card import Cut
from gateway.fleet.placement.layout import Misfit, cuts_of, layout_misfit
from gateway.fleet.placement.node import CardFacts, card_facts
from gateway.fleet.placement.offer import Offer, expected_resources
from gateway.fleet.source import SourceState
from gateway.fleet.unknown import Unknown, undetermined
from gateway.fleet.wish import Wish, is_out_of_service

_QUIET = frozenset({SourceState.FRESH, SourceState.ABSENT})


def aim_of(layout: MigLayout, node: Node | None) -> Aim | Unknown:
    """What a layout comes to on a node."""
    if node is None:
        return undetermined(System.KUBERNETES, "the node is not in the fleet that is read")
    facts = card_facts(node)
    return facts if isinstance(facts, Unknown) else _aim(layout, facts)


def _aim(layout: MigLayout, facts: CardFacts) -> Aim | Unknown:
    wrong, cuts, expected = (
        layout_misfit(layout, facts),
        cuts_of(layout, facts),
        expected_resources(layout, facts),
    )
    if isinstance(cuts, tuple) and isinstance(expected, Offer) and wrong is None:
        return _named(layout, cuts, expected)
    why = next(one for one in (wrong, cuts, expected) if isinstance(one, Misfit | Unknown))
    return why if isinstance(why, Unknown) else undetermined(System.KUBERNETES, why.reason)


def _named(layout: MigLayout, cuts: Sequence[Cut], expected: Offer) -> Aim:
    if layout.config is not None:
        return Aim(config=layout.config, text=None, expected=expected)
    text = layout_text(cuts)
    return Aim(config=layout_name(text), text=text, expected=expected)


def against_it(fleet: Fleet, cluster: str, node: Node | None) -> Iterator[Blocker]:
    """What Slurm has against taking a node: its jobs there, or that it is not heard of now."""
    for one in fleet.sources:
        if one.system is System.SLURM and fleet.slurms.get(one.place) == cluster and one.state not in _QUIET:
            yield Blocker(
                cause=BlockCause.OTHER, name=f"{one.name} is {one.state.value}: it may have work there"
            )
    jobs = node.jobs if node else ()
    for job in () if isinstance(jobs, Unknown) else jobs:
        named = f"Slurm job {job.job_id} ({job.name}) holds the node"
        yield Blocker(cause=BlockCause.WORKLOAD, name=named, workload_id=job.id)


def others_of(wish: Wish, wishes: Sequence[Wish], fleet: Fleet) -> Others:
    """What the other nodes of the cluster mean for this one."""
    others = [one for one in wishes if one.node != wish.node]
    return Others(
        in_change=tuple(sorted(one.node for one in others if is_out_of_service(one.observed, one.progress))),
        failed=next((one.node for one in others if _failed_alike(wish, one, fleet)), None),
    )


def _failed_alike(wish: Wish, other: Wish, fleet: Fleet) -> bool:
    if not wish.desired or not other.desired or not has_failed(other) or not is_in_work(other):
        return False
    alike = gpu_type(fleet, wish) == gpu_type(fleet, other)
    return alike and wish.desired.mig_layout == other.desired.mig_layout


def gpu_type(fleet: Fleet, wish: Wish) -> str | None:
    """The type of a node's GPUs, by name."""
    node = fleet.node(wish.cluster, wish.node)
    gpus = node.gpus if node else None
    kind = gpus.type if isinstance(gpus, NodeGpus) else None
    return None if kind is None or isinstance(kind, Unknown) else kind.name
