"""Jobs as v0.0.45 writes them, with what a test cares about."""

import msgspec

from gateway.fleet.gpu import GpuClaim
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.unit import GpuUnit
from gateway.sources.slurm.jobs import read_job
from gateway.sources.sync import Item


def number(value: int) -> dict[str, object]:
    return {"set": True, "infinite": False, "number": value}


NOT_SET = {"set": False, "infinite": False, "number": 0}
WITHOUT_LIMIT = {"set": False, "infinite": True, "number": 0}
RUNNING = {
    "job_id": 12,
    "name": "train",
    "job_state": ["RUNNING"],
    "state_reason": "None",
    "state_description": "",
    "user_name": "ada",
    "partition": "train",
    "nodes": "gpu-[01-02]",
    "node_count": number(2),
    "tasks": number(4),
    "submit_time": number(1795970495),
    "start_time": number(1795970498),
    "gres_detail": ["gpu:h100:8(IDX:0-7)", "gpu:h100:2(IDX:0,2)"],
    "tres_alloc_str": "cpu=64,mem=256G,node=2,billing=64",
    "tres_req_str": "cpu=64,mem=256G,node=2,billing=64",
    "tres_per_job": "",
    "tres_per_node": "",
    "tres_per_socket": "",
    "tres_per_task": "",
}
WAITING = RUNNING | {
    "job_state": ["PENDING"],
    "state_reason": "Resources",
    "nodes": "",
    "gres_detail": [],
    "tres_alloc_str": "",
}


def one(base: dict[str, object] = RUNNING, **fields: object) -> Item[SlurmJob]:
    """What is read of a job as v0.0.45 writes it, with these fields."""
    return read_job(msgspec.Raw(msgspec.json.encode(base | fields)), 45, "lab", 0)


def record(base: dict[str, object] = RUNNING, **fields: object) -> SlurmJob:
    found = one(base, **fields).record
    assert found
    return found


def cards(count: int, kind: str = "") -> tuple[GpuClaim, ...]:
    resource = f"gres/gpu:{kind}" if kind else "gres/gpu"
    return (GpuClaim(resource=resource, unit=GpuUnit.CARD, count=count),)
