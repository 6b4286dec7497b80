"""The lines of the account."""

import strawberry

from gateway.errors import System
from gateway.fleet import capacity as records
from gateway.fleet.platform import Target
from gateway.fleet.unit import GpuUnit
from resolvers import explain as resolve
from schema.entity import Entity
from schema.explain import Explanation
from schema.gpu import GpuType, Money
from schema.mig import MigProfile
from schema.provenance import MACHINES, derived, platform
from schema.unknown import Unknown
from schema.view import answer, attribute, unknowns, view

KUBERNETES, PLATFORM, QUEUES, SLURM = System.KUBERNETES, System.PLATFORM, System.QUEUES, System.SLURM


@view(records.SliceBalance)
class SliceBalance:
    """The slices of one profile, summed over the machines of a line."""

    profile: MigProfile = attribute("How the cards are cut.")
    capacity: int | None = attribute("Instances.", derived("slices", KUBERNETES))
    allocatable: int | None = attribute("Healthy ones.", derived("slices", KUBERNETES))
    requested: int | None = attribute(
        "What bound pods that have not ended ask.", derived("requested", KUBERNETES)
    )
    free: int | None = attribute("What Kubernetes would still give.", derived("free", KUBERNETES))


@view(records.GpuBalance)
class GpuBalance(Entity):
    """All cards of one type on one target.

    available = healthy - allocated, never below 0; what is below is deficit.
    """

    id: strawberry.ID
    gpu_type: GpuType | None = attribute(
        "Null: a model that neither the platform nor the catalogue knows.", needs=MACHINES
    )
    target: Target | None = attribute("Null: cards that no record assigns.", platform("node_record.target"))
    unit: GpuUnit = attribute("Always CARD.", derived("unit", KUBERNETES))
    physical: int | None = attribute("Cards that the target's system knows.", derived("physical", *MACHINES))
    healthy: int | None = attribute("Cards that are usable.", derived("healthy", *MACHINES))
    schedulable: int | None = attribute(
        "Usable cards where new work may be placed.", derived("schedulable", *MACHINES)
    )
    partitioned: int | None = attribute("Cards that are cut into slices.", derived("partitioned", *MACHINES))
    allocated: int | None = attribute(
        "What the platform gave to workspaces; for Slurm, what Slurm gave to jobs.",
        derived("allocated", *MACHINES),
    )
    used: int | None = attribute("Whole cards that bound work holds.", derived("used", *MACHINES))
    available: int | None = attribute(
        "What may still be given; ask Query.fits whether work would find room.",
        derived("available", *MACHINES),
    )
    deficit: int | None = attribute("What is given and not healthy.", derived("available", *MACHINES))
    slices: list[SliceBalance] | None = attribute("Its slices, by profile.", needs=MACHINES)
    cost_per_hour: Money | None = attribute("physical x price.", needs=MACHINES)
    explain: Explanation = answer(resolve.explain, needs=MACHINES)
    unknowns: list[Unknown] = unknowns()


@view(records.GpuAllocation)
class GpuAllocation(Entity):
    """cards: what the platform gave. borrowed: what work holds beyond that."""

    id: strawberry.ID
    generation: int = attribute("Grows with every change.", platform("gpu_allocation.generation"))
    gpu_type: GpuType = attribute("Of which model.", needs=[PLATFORM])
    cards: int = attribute("What the platform gave.", platform("gpu_allocation.cards"))
    used: int | None = attribute(
        "Whole cards that its queue says are held.", derived("workspace-used", KUBERNETES, QUEUES)
    )
    headroom: int | None = attribute(
        "cards - used, never below 0.", derived("workspace-used", KUBERNETES, PLATFORM, QUEUES)
    )
    borrowed: int | None = attribute(
        "used - cards, never below 0.", derived("workspace-used", KUBERNETES, PLATFORM, QUEUES)
    )
    price_per_hour: Money | None = attribute("Of one card, now.", needs=[PLATFORM])
    cost_per_hour: Money | None = attribute("cards x price.", needs=[PLATFORM])
    unknowns: list[Unknown] = unknowns()
