"""Ids: opaque, stable over restarts and replicas, one for each thing that can be asked for again."""

import base64
import binascii
import enum

from gateway.errors import Invalid


class EntityKind(enum.Enum):
    """What an id names."""

    CLUSTER = "cluster"
    NODE = "node"
    MIG_SLICE = "mig"
    TENANT = "tenant"
    WORKSPACE = "workspace"
    ALLOCATION = "allocation"
    QUEUE = "queue"
    POD = "pod"
    SLURM_JOB = "job"
    BALANCE = "balance"
    SOURCE = "source"
    ALERT = "alert"


_SEPARATOR = "\x1f"


def entity_id(kind: EntityKind, *parts: str) -> str:
    """Write the id of a thing from the parts that tell it from all others."""
    text = _SEPARATOR.join((kind.value, *parts))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_id(text: str) -> tuple[EntityKind, tuple[str, ...]]:
    """Read an id that `entity_id` wrote."""
    try:
        padded = text + "=" * (-len(text) % 4)
        kind, *parts = base64.urlsafe_b64decode(padded.encode("ascii")).decode().split(_SEPARATOR)
        return EntityKind(kind), tuple(parts)
    except (binascii.Error, UnicodeError, ValueError):
        said = "is not an id of this graph: pass an id that it answered before"
        raise Invalid(f"{text!r:.60} {said}") from None
