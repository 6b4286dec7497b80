from gateway.errors import System
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.source import SourceKey
from tests.asking import Gateway
from tests.builders import NOON
from tests.fleets import FRESH


def test_a_source_belongs_to_its_cluster_or_to_the_cluster_of_its_slurm():
    """A Slurm may have the name of another cluster."""
    keeper = FleetKeeper(["west", "east"], {"west": "east"}, lambda: NOON)
    for key in (
        SourceKey(System.KUBERNETES, "west", "nodes"),
        SourceKey(System.SLURM, "west", "jobs"),
        SourceKey(System.PLATFORM, "", "records"),
    ):
        keeper.touch(key, FRESH)

    sources = Gateway(keeper).data("{ sources { name cluster { name } } }")["sources"]

    assert {one["name"]: one["cluster"] for one in sources} == {
        "kubernetes/west/nodes": {"name": "west"},
        "slurm/west/jobs": {"name": "east"},
        "platform/records": None,
    }
