"""A Kubernetes cluster, with the Slurms that share its machines."""

from dataclasses import dataclass

from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.unknown import Maybe


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster as the gateway is configured to read it."""

    name: str
    kubernetes_version: Maybe[str]
    """What its API server calls itself."""

    @property
    def id(self) -> str:
        """The id of this cluster."""
        return cluster_id(self.name)


def cluster_id(name: str) -> str:
    """The id of a cluster."""
    return entity_id(EntityKind.CLUSTER, name)
