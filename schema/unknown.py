"""Why a field of an object is null."""

from datetime import datetime

import strawberry

from gateway.errors import System
from gateway.fleet.unknown import UnknownCode
from schema.provenance import EVERY, derived

ORIGIN = derived("unknown", *EVERY)


@strawberry.type(description="Why a field of an object is null.")
class Unknown:
    """Why a field of an object is null."""

    field: str = strawberry.field(
        description="The path below the object, as in gpus.cards.", directives=[ORIGIN]
    )
    code: UnknownCode = strawberry.field(
        description="Whether a system is silent, or what the systems say does not decide.",
        directives=[ORIGIN],
    )
    system: System = strawberry.field(description="Which system it is about.", directives=[ORIGIN])
    reason: str = strawberry.field(description="For people.", directives=[ORIGIN])
    observed_at: datetime | None = strawberry.field(
        description="When the system was last heard of; null where it never was, or is not silent.",
        directives=[ORIGIN],
    )
