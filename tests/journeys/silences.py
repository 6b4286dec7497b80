"""What each source's silence withholds of the answer to everything.graphql, and which rows only it knows."""

from dataclasses import dataclass, field

from gateway.errors import System
from gateway.fleet.source import SourceKey
from tests.journeys.fleets import (
    JOBS,
    NODES,
    POD_GROUPS,
    PODS,
    QUEUES,
    RECORDS,
    SCHEDULER,
    SLURM_NODES,
    VERSION,
)


@dataclass(frozen=True, kw_only=True)
class Silence:
    """One source, and what its silence costs."""

    system: System
    keys: tuple[SourceKey, ...]
    withheld: str
    """A line for each path: its first words, then the fields below it."""
    missing: dict[str, set[object]] = field(default_factory=dict)
    """Rows that only this system knows, by path."""
    added: dict[str, set[object]] = field(default_factory=dict)
    """Lines of the account for machines whose type is not known now."""

    @property
    def paths(self) -> set[str]:
        """Every path that is null."""
        lines = (line.split() for line in self.withheld.strip().splitlines())
        return {f"{path}.{name}" if path != "." else name for path, *names in lines for name in names}


MACHINE = "clusters.nodes.nodes"
OWN = "tenants.nodes.nodes.nodes"

SILENCES = {
    "nodes": Silence(
        system=System.KUBERNETES,
        keys=(NODES,),
        withheld=f"""
            clusters nodes gpuTypes capacity migSlices
            clusters.pods.nodes node gpus.unit
            tenants.nodes capacity costPerHour
            tenants.nodes.workspaces.nodes quotas
            {OWN} ready cordoned cordonedBy taints labels conditions kubeletVersion containerRuntime
            {OWN} gpus migSlices health gpuChain costPerHour workloads.node workloads.gpus.unit
            fits fits nodes.totalCount nodes.nodes.fits
        """,
        missing={f"{OWN}.knownTo": {"KUBERNETES"}, "fits.nodes.nodes": {"shared"}},
    ),
    "pods": Silence(
        system=System.KUBERNETES,
        keys=(PODS,),
        withheld=f"""
            clusters pods queues.missingFromDeserved queues.reclaim
            clusters.capacity used slices.requested slices.free
            clusters.migSlices.nodes requested free pods
            {MACHINE} pods workloads busy migSlices.requested migSlices.free
            {MACHINE}.gpus.resources requested free deficit
            tenants.nodes.capacity used slices.requested slices.free
            tenants.nodes.workspaces.nodes pods
            {OWN} pods workloads busy migSlices.requested migSlices.free
            {OWN}.gpus.resources requested free deficit
            fits fits nodes.nodes.fits
        """,
    ),
    "version": Silence(system=System.KUBERNETES, keys=(VERSION,), withheld="clusters kubernetesVersion"),
    "queues": Silence(
        system=System.QUEUES,
        keys=(QUEUES, POD_GROUPS, SCHEDULER),
        withheld="""
            clusters queues
            clusters.pods.nodes queue podGroup
            tenants.nodes.workspaces.nodes queue
            tenants.nodes.workspaces.nodes.allocations used headroom borrowed
        """,
    ),
    "scheduler": Silence(
        system=System.QUEUES,
        keys=(SCHEDULER,),
        withheld="clusters.queues.reclaim scheduler blockedAsAsker blockedAsHolder",
    ),
    "platform": Silence(
        system=System.PLATFORM,
        keys=(RECORDS,),
        withheld=f"""
            . tenants controllers
            clusters capacity nodes.totalCount
            clusters.gpuTypes pricePerHour prices
            clusters.pods.nodes workspace
            {MACHINE} target tenant health costPerHour gpus.type.pricePerHour
            {MACHINE} desired observed reportedHealth
            fits nodes.totalCount
        """,
        missing={
            MACHINE: {"gone"},
            "clusters.nodes.edges": {"gone"},
            "fits.nodes.nodes": {"gone"},
            f"{MACHINE}.knownTo": {"PLATFORM"},
        },
    ),
    "slurm": Silence(
        system=System.SLURM,
        keys=(SLURM_NODES, JOBS),
        withheld=f"""
            clusters slurmJobs nodes.totalCount
            fits nodes.totalCount
            clusters.capacity physical healthy schedulable partitioned allocated used available deficit
            clusters.capacity slices costPerHour
            clusters.capacity.explain value
            {MACHINE} gpus health slurm workloads busy costPerHour
            tenants.nodes costPerHour
            tenants.nodes.capacity physical healthy schedulable partitioned allocated used available deficit
            tenants.nodes.capacity slices costPerHour
            tenants.nodes.capacity.explain value
            {OWN} gpus health slurm workloads busy costPerHour
        """,
        missing={f"{MACHINE}.knownTo": {"SLURM"}, f"{OWN}.knownTo": {"SLURM"}},
        added={
            "clusters.capacity": {(None, "SLURM")},
            "tenants.nodes.capacity": {(None, "SLURM")},
        },
    ),
}
