"""Runtime classes: by which name pods ask for a container runtime."""

from dataclasses import dataclass

RUNTIME_CLASSES = "runtimeclasses"
"""What the listing is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeClass:
    """A RuntimeClass of a cluster."""

    cluster: str
    name: str
    handler: str
    """What the container runtime calls it."""
