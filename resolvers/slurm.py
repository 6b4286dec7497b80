"""What Slurm's jobs and nodes cross to."""

import strawberry

from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info


def node(job: strawberry.Parent[SlurmJob], info: Info) -> Maybe[Node]:
    """The machine that it holds, where that is one."""
    held = _nodes(job, info.context.fleet)
    if isinstance(held, Unknown):
        return held
    return held[0] if len(job.node_names) == len(held) == 1 else None


def nodes(job: strawberry.Parent[SlurmJob], info: Info) -> list[Node] | Unknown:
    """Every machine that it holds or held."""
    return _nodes(job, info.context.fleet)


def jobs(node: strawberry.Parent[SlurmNode], info: Info) -> list[SlurmJob] | Unknown:
    """The jobs that hold the machine."""
    fleet = info.context.fleet
    silent = fleet.silence(System.SLURM, node.slurm_cluster, "jobs")
    held = fleet.listings.slurm_jobs.group("node", (node.slurm_cluster, node.name))
    return silent or [held[key] for key in sorted(held)]


def _nodes(job: SlurmJob, fleet: Fleet) -> list[Node] | Unknown:
    """The machines of a job; a silent Slurm may know one that nobody else does."""
    machines = [fleet.machine_of_slurm(job.slurm_cluster, name) for name in job.node_names]
    known = [machine for machine in machines if machine is not None]
    silent = fleet.silence(System.SLURM, job.slurm_cluster, "nodes") if len(known) < len(machines) else None
    return silent or known
