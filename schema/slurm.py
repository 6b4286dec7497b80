"""A machine and a job as Slurm tells of them."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import slurm as records
from gateway.fleet.unit import GpuUnit
from gateway.fleet.workload import WorkloadState
from resolvers import slurm as resolve
from schema.entity import Entity, Workload
from schema.gpu import GpuClaim
from schema.provenance import derived, slurm
from schema.view import answer, attribute, view

if TYPE_CHECKING:
    from schema.node import Node

SLURM = System.SLURM


@view(records.SlurmGres)
class SlurmGres:
    """One GPU resource of a Slurm node."""

    name: str = attribute("gpu, or shard.", slurm("nodes[].gres"))
    type: str | None = attribute("The type as Slurm writes it.", slurm("nodes[].gres"))
    unit: GpuUnit = attribute("What the numbers count.", derived("unit", SLURM))
    configured: int | None = attribute("What Slurm expects, lost ones too.", slurm("nodes[].gres"))
    used: int | None = attribute("What jobs hold.", slurm("nodes[].gres_used"))


@view(records.SlurmJob)
class SlurmJob(Workload, Entity):
    """A Slurm job that is not purged yet."""

    id: strawberry.ID
    name: str = attribute("As it was submitted.", slurm("jobs[].name"))
    slurm_cluster: str = attribute("Which Slurm, as configured.", derived("configured"))
    job_id: str = attribute("Slurm's number.", slurm("jobs[].job_id"))
    state: WorkloadState = attribute(
        "In the words that all schedulers share.", derived("workload-state", SLURM)
    )
    slurm_state: str = attribute("In Slurm's own words, joined by +.", slurm("jobs[].job_state"))
    gpus: list[GpuClaim] = attribute("What it holds, or asks for while it waits.")
    node: Annotated["Node", strawberry.lazy("schema.node")] | None = answer(resolve.node, needs=[SLURM])
    nodes: list[Annotated["Node", strawberry.lazy("schema.node")]] | None = answer(
        resolve.nodes, needs=[SLURM]
    )
    controller: str | None = attribute("Always null: a job is nobody's child.", derived("identity", SLURM))
    user: str | None = attribute("Who submitted it.", slurm("jobs[].user_name"))
    partition: str | None = attribute("Where it runs or waits.", slurm("jobs[].partition"))
    started_at: datetime | None = attribute("When it began to run.", slurm("jobs[].start_time"))
    pending_reason: str | None = attribute("Why it waits.", slurm("jobs[].state_reason"))


@view(records.SlurmNode)
class SlurmNode:
    """A machine as Slurm tells of it."""

    slurm_cluster: str = attribute("Which Slurm, as configured.", derived("configured"))
    name: str = attribute("Its NodeName.", slurm("nodes[].name"))
    states: list[str] = attribute("One base state and any number of flags.", slurm("nodes[].state"))
    reason: str | None = attribute("Why it is drained or down.", slurm("nodes[].reason"))
    reason_by: str | None = attribute("Who said so.", slurm("nodes[].reason_set_by_user"))
    partitions: list[str] = attribute("The partitions that it is in.", slurm("nodes[].partitions"))
    gres: list[SlurmGres] = attribute("Its GPU resources.")
    jobs: list[SlurmJob] | None = answer(resolve.jobs, needs=[SLURM])
