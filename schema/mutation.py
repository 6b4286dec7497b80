"""Where every change starts."""

import strawberry

from resolvers import mutation as resolve
from schema.change import (
    AssignNodePayload,
    ReleaseNodePayload,
    SetAllocationPayload,
    SetCordonPayload,
    SetMigLayoutPayload,
    SetPausePayload,
    SetPricePayload,
)
from schema.provenance import EVERY
from schema.view import answer


@strawberry.type(
    description="Each writes named fields and nothing else; one after the other, each sees the one before."
)
class Mutation:
    """Each writes named fields and nothing else."""

    set_cordon: SetCordonPayload = answer(resolve.set_cordon, needs=EVERY)
    set_mig_layout: SetMigLayoutPayload = answer(resolve.set_mig_layout, needs=EVERY)
    assign_node: AssignNodePayload = answer(resolve.assign_node, needs=EVERY)
    release_node: ReleaseNodePayload = answer(resolve.release_node, needs=EVERY)
    set_allocation: SetAllocationPayload = answer(resolve.set_allocation, needs=EVERY)
    set_price: SetPricePayload = answer(resolve.set_price, needs=EVERY)
    set_pause: SetPausePayload = answer(resolve.set_pause, needs=EVERY)
