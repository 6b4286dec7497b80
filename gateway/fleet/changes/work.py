"""The work that a change could hurt."""

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from gateway.errors import System
from gateway.fleet.changes.judgement import Impact, Workload
from gateway.fleet.claimed import is_claimed
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown, undetermined

W = TypeVar("W", bound=Workload)
Work: TypeAlias = tuple[Workload, ...] | Unknown


def pods_on(node: Node) -> tuple[Pod, ...] | Unknown:
    """The pods that hold cards of a machine."""
    if isinstance(node.pods, Unknown):
        return node.pods
    claimed = is_claimed(node.beside)
    if isinstance(claimed, Unknown):
        return claimed
    if claimed:
        said = f"claims were given devices of {node.name}, and no pod says that it holds them"
        return undetermined(System.KUBERNETES, said)
    return by_name(pod for pod in node.pods if pod.holds_gpus)


def jobs_on(node: Node) -> tuple[SlurmJob, ...] | Unknown:
    """The jobs that hold a machine."""
    jobs = node.jobs
    return jobs if isinstance(jobs, Unknown) else by_name(job for job in jobs if job.holds_nodes)


def work_on(node: Node) -> Work:
    """What holds a machine or its cards, of both schedulers."""
    pods, jobs = pods_on(node), jobs_on(node)
    if isinstance(pods, Unknown) or isinstance(jobs, Unknown):
        return first_unknown(pods, jobs) or pods
    return by_name((*pods, *jobs))


def name_of(one: Workload) -> str:
    """Which work it is, in words."""
    if isinstance(one, Pod):
        return f"pod {one.namespace}/{one.name}"
    return f"job {one.job_id} of Slurm {one.slurm_cluster}"


def by_name(work: Iterable[W]) -> tuple[W, ...]:
    """Work in the order in which people read it."""
    return tuple(sorted(work, key=lambda one: (name_of(one), one.id)))


def impact_on(work: Work, message: str, *, cards: int | Unknown | None, evicts: bool = False) -> Impact:
    """Who would be hurt, of this work."""
    if isinstance(work, Unknown):
        return Impact(workloads=work, not_recreated=work, evicts=evicts, cards=cards, message=message)
    alone = tuple(one for one in work if one.controller is None)
    return Impact(workloads=work, not_recreated=alone, evicts=evicts, cards=cards, message=message)


def counted(work: Work) -> str:
    """Say how much work that is, in words."""
    if isinstance(work, Unknown):
        return "an unknown number of workloads"
    alone = sum(one.controller is None for one in work)
    rest = f" ({alone} of which nothing makes again)" if alone else ""
    return f"{len(work) or 'no'} workload{'' if len(work) == 1 else 's'}{rest}"
