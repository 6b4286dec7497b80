"""The scheduler's queues and pod groups."""

from dataclasses import dataclass
from datetime import datetime

from gateway.fleet.condition import Condition
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.quantity import Quantity
from gateway.fleet.unknown import Maybe


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A Volcano queue. None: the object does not say."""

    cluster: str
    name: str
    state: str | None
    """Absent where no controller ever ran; the scheduler then takes it for closed."""
    parent_name: str | None
    capability: tuple[Quantity, ...] | None
    deserved: tuple[Quantity, ...] | None
    guarantee: tuple[Quantity, ...] | None
    allocated: tuple[Quantity, ...] | None
    reclaimable: bool | None

    @property
    def id(self) -> str:
        """The id of this queue."""
        return entity_id(EntityKind.QUEUE, self.cluster, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroup:
    """Pods that are placed together or not at all."""

    cluster: str
    namespace: str
    name: str
    queue_name: str
    phase: str
    min_member: int
    conditions: tuple[Condition, ...]
    """They never become False: the newest speaks."""
    min_resources: tuple[Quantity, ...]
    created_at: Maybe[datetime]
    uid: str = ""
    min_tasks: tuple[tuple[str, int], ...] = ()
    """How many pods of which task it needs, beside so many in all; by task."""

    @property
    def is_placed(self) -> bool:
        """Whether nothing of it waits any more, whatever its conditions say."""
        return self.phase in {"Running", "Completed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroupCounts:
    """Pod groups of a queue by phase, counted over the groups themselves."""

    pending: int = 0
    inqueue: int = 0
    running: int = 0
    unknown: int = 0
    completed: int = 0
