"""Whether a machine does, and why not."""

from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.fleet.diagnosis import judged_node as records
from schema.pending import PendingPart
from schema.provenance import MACHINES, derived
from schema.unknown import Unknown
from schema.view import attribute, unknowns, view

if TYPE_CHECKING:
    from schema.node import Node

_JUDGED = derived("fits", *MACHINES)


@view(records.JudgedNode)
class NodeVerdict:
    """Whether a machine does, and why not."""

    node: Annotated["Node", strawberry.lazy("schema.node")] = attribute("Which machine.", needs=MACHINES)
    fits: bool | None = attribute(
        "Null where a rule that decides is not modelled or a source is silent: never a guess.",
        _JUDGED,
        of="verdict",
    )
    reasons: list[PendingPart] = attribute("All that the first check says that refuses.", of="verdict")
    unknowns: list[Unknown] = unknowns()
