"""Where an ask would fit."""

from gateway.fleet.fits import report as records
from resolvers import fits as resolve
from schema.alert import Remedy
from schema.paging import Connection
from schema.provenance import MACHINES, derived
from schema.unknown import Unknown
from schema.verdict import NodeVerdict
from schema.view import answer, attribute, unknowns, view


@view(records.FitReport)
class FitReport:
    """Whether an ask fits now, and what would have to change where it does not."""

    fits: bool | None = attribute(
        "Whether as many machines of one cluster do as are asked for; null where those decide that nobody "
        "can judge.",
        derived("fits", *MACHINES),
    )
    nodes: Connection[NodeVerdict] = answer(resolve.nodes, needs=MACHINES)
    remedies: list[Remedy] = attribute(
        "The least change after which it fits; beside it, what the tenant would have to be given."
    )
    unknowns: list[Unknown] = unknowns()
