"""Jobs of the demo's Slurm, and how slurmrestd shows one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from gateway.simulator.store import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job, on one node or waiting for one."""

    number: int
    name: str
    user: str
    cards: int
    started: datetime
    """When it started, or was submitted where it waits."""
    node: str = ""
    reason: str = "None"
    """Why it waits."""
    account: str = "language"

    def answer(self) -> Json:
        """The job as v0.0.42 shows it; the GPUs of one that runs stand in gres_detail."""
        runs = bool(self.node)
        submitted = int(self.started.timestamp())
        start = submitted if runs else 0
        return {
            "job_id": self.number,
            "name": self.name,
            "user_name": self.user,
            "account": self.account,
            "cluster": "simulated",
            "partition": "train",
            "job_state": ["RUNNING" if runs else "PENDING"],
            "state_reason": self.reason,
            "state_description": "",
            "nodes": self.node,
            "required_nodes": "",
            "node_count": _number(1),
            "cpus": _number(self.cards * 28),
            "tasks": _number(self.cards),
            "priority": _number(1000),
            "hold": False,
            "gres_detail": [f"gpu:h100:{self.cards}(IDX:{_indexes(self.cards)})"] if runs else [],
            "tres_per_node": f"gres/gpu:h100:{self.cards}",
            "tres_per_job": "",
            "tres_per_task": "",
            "tres_req_str": f"cpu={self.cards * 28},mem={self.cards * 128}G,node=1",
            "tres_alloc_str": f"cpu={self.cards * 28},mem={self.cards * 128}G,node=1" if runs else "",
            "submit_time": _number(submitted),
            "start_time": _number(start),
            "end_time": _number(start + 86_400 if runs else 0),
            "suspend_time": _number(0),
            "time_limit": _number(1440),
            "array_job_id": _number(0),
            "array_task_id": {"set": False, "infinite": False, "number": 0},
            "array_task_string": "",
            "restart_cnt": 0,
        }


def jobs(now: datetime) -> Iterator[Job]:
    """The jobs of the first moment."""
    for hours, number, name, user, cards, node, reason in _JOBS:
        started = now - timedelta(hours=hours)
        yield Job(number=number, name=name, user=user, cards=cards, started=started, node=node, reason=reason)


# Hours since the start, number, name, user, cards, node, reason.
# gpu-h100-08 is Kubernetes' own node: idle to it, and busy with a job.
_JOBS = (
    (31, 41_150, "pretrain-7b", "okafor", 8, "hpc-h100-01", "None"),
    (9, 41_180, "segment-all", "ana", 4, "gpu-h100-09", "None"),
    (5, 41_199, "tokenizer", "ruiz", 2, "hpc-h100-02", "None"),
    (3, 41_201, "eval-mmlu", "ruiz", 2, "hpc-h100-02", "None"),
    (2, 41_207, "moe-sweep", "chen", 8, "gpu-h100-08", "None"),
    (2, 41_210, "pretrain-13b", "okafor", 8, "", "Resources"),
    (1, 41_211, "ablation", "chen", 4, "", "Priority"),
    (1, 41_212, "ablation-held", "chen", 4, "", "JobHeldUser"),
)


def _number(value: int) -> Json:
    return {"set": True, "infinite": False, "number": value}


def _indexes(cards: int) -> str:
    return f"0-{cards - 1}" if cards > 1 else "0"
