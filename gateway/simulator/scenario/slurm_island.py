"""The demo's Slurm: nodes and jobs, and the answers of v0.0.42 that slurmrestd makes of them.

Shapes as recorded from Slurm 24.11: times and counts are {set, infinite, number}, states are lists.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gateway.simulator.scenario.slurm_jobs import Job, jobs
from gateway.simulator.slurm_failures import meta, ping
from gateway.simulator.store import Json, encode

VERSION = "v0.0.42"
CARDS = 8
"""Of each node."""
_CPUS = 224
_MEMORY_MIB = 2_063_872


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchNode:
    """A node in Slurm's words, but for what its jobs tell."""

    name: str
    flags: tuple[str, ...] = ()
    reason: str = ""
    reason_by: str = ""


NODES = (
    BatchNode(name="gpu-h100-08"),
    BatchNode(name="gpu-h100-09"),
    BatchNode(name="gpu-h100-10"),
    BatchNode(name="gpu-h100-11"),
    BatchNode(name="hpc-h100-01"),
    BatchNode(name="hpc-h100-02"),
    BatchNode(name="hpc-h100-03", flags=("DRAIN",), reason="fan tray", reason_by="ana"),
    BatchNode(
        name="hpc-h100-04",
        flags=("DRAIN", "INVALID_REG"),
        reason="gres/gpu count reported lower than configured (7 < 8)",
        reason_by="slurm",
    ),
)


class SlurmIsland:
    """Slurm at work; its answers are made when they are asked for."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.jobs = {job.number: job for job in jobs(clock())}
        self._clock = clock

    def serves(self, version: str) -> bool:
        """It speaks one version."""
        return version == VERSION

    def answer(self, version: str, what: str) -> bytes | None:
        """The body of an answer, as of now."""
        if what == "ping":
            return encode(ping(version))
        listing = {"nodes": self._nodes, "jobs": self._jobs, "partitions": self._partitions}.get(what)
        if listing is None:
            return None
        last_update = number(int(self._clock().timestamp()))
        body = {what: listing(), "last_update": last_update, "meta": meta(version), "errors": []}
        return encode(body | {"warnings": []})

    def follow(self, ended: Job, now: datetime) -> None:
        """End a job, and begin one like it under the next number."""
        del self.jobs[ended.number]
        follower = replace(ended, number=max(self.jobs) + 1, started=now)
        self.jobs[follower.number] = follower

    def free(self, node: str) -> int:
        """How many cards of a node no job holds."""
        return CARDS - sum(job.cards for job in self.jobs.values() if job.node == node)

    def _nodes(self) -> list[Json]:
        return [self._node(node) for node in NODES]

    def _node(self, node: BatchNode) -> Json:
        used = CARDS - self.free(node.name)
        cpus = min(_CPUS, used * 28)
        base = "ALLOCATED" if cpus == _CPUS else "MIXED" if used else "IDLE"
        indexes = f"0-{used - 1}" if used > 1 else "0" if used else "N/A"
        return {
            "name": node.name,
            "hostname": node.name,
            "address": node.name,
            "architecture": "x86_64",
            "state": [base, *node.flags],
            "gres": f"gpu:h100:{CARDS}(S:0-1)",
            "gres_used": f"gpu:h100:{used}(IDX:{indexes})",
            "gres_drained": "N/A",
            "cpus": _CPUS,
            "effective_cpus": _CPUS,
            "alloc_cpus": cpus,
            "alloc_idle_cpus": _CPUS - cpus,
            "real_memory": _MEMORY_MIB,
            "alloc_memory": used * 131_072,
            "free_mem": number(_MEMORY_MIB - used * 131_072),
            "partitions": ["train"],
            "features": ["h100", "nvlink"],
            "active_features": ["h100", "nvlink"],
            "reason": node.reason,
            "reason_changed_at": number(self._ago(hours=30) if node.reason else 0),
            "reason_set_by_user": node.reason_by,
            "boot_time": number(self._ago(hours=480)),
            "last_busy": number(self._ago(hours=0 if used else 2)),
            "slurmd_start_time": number(self._ago(hours=479)),
            "tres": f"cpu={_CPUS},mem={_MEMORY_MIB}M,billing={_CPUS}",
            "tres_used": f"cpu={cpus},mem={used * 128}G" if used else "",
            "version": "24.11.5",
        }

    def _jobs(self) -> list[Json]:
        return [job.answer() for job in self.jobs.values()]

    def _partitions(self) -> list[Json]:
        names = ",".join(node.name for node in NODES)
        train = {
            "name": "train",
            "nodes": {"configured": names, "total": len(NODES), "allowed_allocation": ""},
            "cpus": {"total": _CPUS * len(NODES), "task_binding": 0},
            "partition": {"state": ["UP"]},
            "maximums": {"time": number(10_080)},
        }
        return [train]

    def _ago(self, *, hours: int) -> int:
        return int((self._clock() - timedelta(hours=hours)).timestamp())


def number(value: int) -> Json:
    """A number as v0.0.40 and later write one that may be unset or without limit."""
    return {"set": True, "infinite": False, "number": value}
