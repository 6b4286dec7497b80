"""What a source crosses to."""

import strawberry

from gateway.errors import System
from gateway.fleet.cluster import Cluster
from gateway.fleet.source import SourceStatus
from resolvers.context import Info


def cluster(source: strawberry.Parent[SourceStatus], info: Info) -> Cluster | None:
    """The cluster that it is a listing of, or that its Slurm belongs to."""
    fleet = info.context.fleet
    home = fleet.slurms.get(source.place) if source.system is System.SLURM else source.place
    return fleet.cluster(home) if home else None
