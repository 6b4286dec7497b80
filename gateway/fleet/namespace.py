"""Namespaces, as far as rules go by their labels."""

from dataclasses import dataclass

from immutables import Map

NAMESPACES = "namespaces"
"""What the listing is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """A namespace of a cluster."""

    cluster: str
    name: str
    labels: Map[str, str]
