"""Why a field of an object is null."""

from datetime import datetime

import strawberry

from gateway.errors import System
from gateway.fleet.unknown import UnknownCode
from schema.provenance import derived

EVERY = (System.KUBERNETES, System.PLATFORM, System.QUEUES, System.SLURM)


@strawberry.type(
    description="Why a field of this object is null. field is the path below it, as in gpus.cards."
)
class Unknown:
    """Why a field of this object is null."""

    field: str = strawberry.field(directives=[derived("unknown", *EVERY)])
    code: UnknownCode = strawberry.field(directives=[derived("unknown", *EVERY)])
    system: System = strawberry.field(directives=[derived("unknown", *EVERY)])
    reason: str = strawberry.field(directives=[derived("unknown", *EVERY)])
    observed_at: datetime | None = strawberry.field(
        description="When the system was last heard of.", directives=[derived("unknown", *EVERY)]
    )
