"""What a source crosses to."""

import strawberry

from gateway.fleet.cluster import Cluster
from gateway.fleet.source import SourceStatus
from resolvers.context import Info


def cluster(source: strawberry.Parent[SourceStatus], info: Info) -> Cluster | None:
    """The cluster that it is a listing of, or that its Slurm belongs to."""
    fleet = info.context.fleet
    return fleet.cluster(fleet.slurms.get(source.place, source.place))
