"""The work that a change could hurt, and whether whoever asks has said that it may."""

from collections.abc import Iterable
from typing import TypeVar

from gateway.errors import Invalid, System
from gateway.fleet.changes.judgement import Impact, Workload
from gateway.fleet.changes.refusals import invalid, undecided
from gateway.fleet.claimed import is_claimed
from gateway.fleet.entity import EntityKind, read_id
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.problem import Problem, ProblemCode, Refused, WorkloadsRunning
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown, undetermined

W = TypeVar("W", bound=Workload)
Work = tuple[Workload, ...] | Unknown
_WORKLOADS = {EntityKind.POD, EntityKind.SLURM_JOB}
_PATH = "acknowledgedWorkloads"
_MOST_NAMED = 3


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
    return _by_name(pod for pod in node.pods if pod.holds_gpus)


def jobs_on(node: Node) -> tuple[SlurmJob, ...] | Unknown:
    """The jobs that hold a machine."""
    jobs = node.jobs
    return jobs if isinstance(jobs, Unknown) else _by_name(job for job in jobs if job.holds_nodes)


def work_on(node: Node) -> Work:
    """What holds a machine or its cards, of both schedulers."""
    pods, jobs = pods_on(node), jobs_on(node)
    if isinstance(pods, Unknown) or isinstance(jobs, Unknown):
        return first_unknown(pods, jobs) or pods
    return _by_name((*pods, *jobs))


def malformed(acknowledged: Iterable[str]) -> Refused | None:
    """What is wrong with the ids of workloads; one that is not there any more is no mistake."""
    strange = next((text for text in sorted(acknowledged) if not _is_workload(text)), None)
    if strange is None:
        return None
    said = f"{strange!r} is no id of a workload: pass ids as `impact` and WORKLOADS_RUNNING name them"
    return invalid(said, _PATH)


def unacknowledged(work: Work, acknowledged: frozenset[str], what: str) -> Problem | None:
    """Why work keeps a change from being made."""
    if isinstance(work, Unknown):
        return undecided(work, f"which work {what} is not known")
    left = tuple(one for one in work if one.id not in acknowledged)
    if not left:
        return None
    names = ", ".join(_named(one) for one in left[:_MOST_NAMED])
    more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
    said = f"work {what}: {names}{more}; name each that may lose it in {_PATH}, or wait until it has ended"
    return WorkloadsRunning(
        code=ProblemCode.WORKLOADS_RUNNING, message=said, path=(_PATH,), unacknowledged=left
    )


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


def _is_workload(text: str) -> bool:
    try:
        kind, _ = read_id(text)
    except Invalid:
        return False
    return kind in _WORKLOADS


def _named(one: Workload) -> str:
    if isinstance(one, Pod):
        return f"pod {one.namespace}/{one.name}"
    return f"job {one.job_id} of Slurm {one.slurm_cluster}"


def _by_name(work: Iterable[W]) -> tuple[W, ...]:
    return tuple(sorted(work, key=lambda one: (_named(one), one.id)))
