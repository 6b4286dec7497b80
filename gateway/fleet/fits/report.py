"""Answers where an ask would fit now, and what would have to change where it does not."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from gateway.fleet.alert import Remedy
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.fits.allowance import more_allowance
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.judge import judged
from gateway.fleet.fits.remedies import Place, least_change, less
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.scheduling.cluster import seen_by_scheduler
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport:
    """Whether an ask fits now."""

    ask: Ask
    fits: bool | Unknown
    places: tuple[Place, ...]
    """The machines that may be meant, by cluster."""
    silent: Unknown | None
    """Why there may be more machines than those."""
    allowance: Remedy | None
    """What the tenant would have to be given, whichever machines do."""

    @property
    def nodes(self) -> Iterator[JudgedNode]:
        """Every machine that may be meant, by cluster and name."""
        return chain.from_iterable(place.judged for place in self.places)

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """The least change after which it fits; none where it does and the tenant was given as much."""
        given = (self.allowance,) if self.allowance else ()
        if self.fits is True:
            return given
        found = least_change(self.places, self.ask)
        hopeless = () if found or isinstance(self.fits, Unknown) else (less(self.ask),)
        return (*found, *hopeless, *given)


def fit_report(ask: Ask, fleet: Fleet) -> FitReport:
    """Judge every machine that an ask may mean; all that it gets must be of one cluster."""
    machines = sorted(_nodes(ask, fleet).items())
    places = tuple(_place(cluster, nodes, ask, fleet) for cluster, nodes in machines)
    silent = None if ask.tenant else first_unknown(*(fleet.nodes(cluster) for cluster in fleet.clusters))
    return FitReport(
        ask=ask,
        fits=_any([_enough(place, ask.nodes) for place in places], silent),
        places=places,
        silent=None if ask.tenant else silent or _untold(fleet),
        allowance=more_allowance(ask, fleet),
    )


def _nodes(ask: Ask, fleet: Fleet) -> dict[str, list[Node]]:
    """The machines that may be meant, by cluster."""
    found: defaultdict[str, list[Node]] = defaultdict(list)
    table = fleet.listings.nodes
    rows = table.group("tenant", ask.tenant) if ask.tenant else table.rows
    for node in rows.values():
        if node.is_gpu_node:
            found[node.cluster].append(node)
    return found


def _place(cluster: str, nodes: Iterable[Node], ask: Ask, fleet: Fleet) -> Place:
    seen = seen_by_scheduler(fleet, cluster)
    return Place(seen=seen, judged=judged(sorted(nodes, key=lambda node: node.name), ask, seen))


def _enough(place: Place, wanted: int) -> bool | Unknown:
    """Whether enough machines of a cluster do; unknown where those decide that nobody can judge."""
    said = [one.verdict.fits for one in place.judged]
    unknown = [one for one in said if isinstance(one, Unknown)]
    if said.count(True) >= wanted:
        return True
    return unknown[0] if unknown and said.count(True) + len(unknown) >= wanted else False


def _any(answers: list[bool | Unknown], silent: Unknown | None) -> bool | Unknown:
    if True in answers:
        return True
    return next((one for one in answers if isinstance(one, Unknown)), silent or False)


def _untold(fleet: Fleet) -> Unknown | None:
    """Why there may be machines that only the records or a Slurm know; none of them does."""
    return first_unknown(fleet.platform, *(fleet.slurm_silence(cluster) for cluster in fleet.clusters))
