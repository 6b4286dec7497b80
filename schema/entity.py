"""What has an id, and what is work."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.fleet.workload import WorkloadState
from schema.gpu import GpuClaim

if TYPE_CHECKING:
    from schema.node import Node


@strawberry.interface(description="Anything with an id: refetch it by entity(id:).")
class Entity:
    """Anything with an id."""

    id: strawberry.ID


@strawberry.interface(description="Work that holds GPUs or waits for them.")
class Workload:
    """Work that holds GPUs or waits for them."""

    id: strawberry.ID
    name: str
    state: WorkloadState
    gpus: list[GpuClaim]
    node: Annotated["Node", strawberry.lazy("schema.node")] | None
    controller: str | None
    user: str | None
    started_at: datetime | None
