"""What a node's cards offer once they are cut under a layout."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

SLICE = "nvidia.com/mig-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What is advertised, and what the labels say of it."""

    resources: Mapping[str, int]
    labels: Mapping[str, str] = field(default_factory=dict)


Layouts: TypeAlias = Mapping[str, Cut]
"""Each configuration that the MIG manager of a node knows, by the name that the label has."""
