from datetime import UTC, datetime

import msgspec
import pytest

from gateway.fleet.gpu import GpuClaim
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from gateway.fleet.workload import WorkloadState
from gateway.sources.slurm.answers import read_list
from gateway.sources.slurm.api import Answer
from gateway.sources.slurm.jobs import read_job
from gateway.sources.sync import Item
from tests.sources.slurm.recordings import VERSIONS, odd, recording

SUBMITTED = datetime(2026, 11, 29, 16, 41, 35, tzinfo=UTC)
UNAVAILABLE_IN_22_05 = "ReqNodeNotAvail, UnavailableNodes:gpu-h100-03"
UNAVAILABLE_LATER = "ReqNodeNotAvail, May be reserved for other job"


def read(body: bytes, version: int = 45) -> list[Item[SlurmJob]]:
    found = read_list(Answer("slurm", 200, body), "jobs")
    return [read_job(text, version, "lab", at) for at, text in enumerate(found)]


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


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_tells_of_the_same_jobs(version: int):
    items = read(recording(version, "jobs"), version)
    told = {item.key: _summary(item) for item in items}
    unavailable = UNAVAILABLE_IN_22_05 if version < 40 else UNAVAILABLE_LATER
    assert told == {
        "1": ("done-ok", "SUCCEEDED", "daemon", "infer", cards(1), (), None),
        "2": ("done-fail", "FAILED", "daemon", "infer", cards(1), (), None),
        "3": ("full-node", "RUNNING", "daemon", "train", cards(8, "h100"), (("gpu-h100-01", 8),), None),
        "4": ("mixed-3gpu", "RUNNING", "backup", "train", cards(3, "h100"), (("gpu-h100-02", 3),), None),
        "5": ("t4-serve", "RUNNING", "backup", "infer", cards(2, "t4"), (("gpu-t4-01", 2),), None),
        "6": ("t4-arr", "PENDING", "daemon", "infer", cards(1, "t4"), (), "JobArrayTaskLimit"),
        "7": ("will-cancel", "CANCELLED", "daemon", "infer", cards(1), (), None),
        "8": ("t4-arr", "RUNNING", "daemon", "infer", cards(1, "t4"), (("gpu-t4-02", 1),), None),
        "9": ("t4-arr", "RUNNING", "daemon", "infer", cards(1, "t4"), (("gpu-t4-02", 1),), None),
        "10": ("wait-resources", "PENDING", "backup", "train", cards(8, "h100"), (), "Resources"),
        "11": ("wait-priority", "RUNNING", "daemon", "train", cards(4, "h100"), (("gpu-h100-02", 4),), None),
        "12": ("two-node-gpus", "PENDING", "daemon", "train", cards(16), (), "Priority"),
        "13": ("held", "PENDING", "backup", "infer", cards(1), (), "JobHeldUser"),
        "14": ("depends", "PENDING", "backup", "infer", cards(1), (), "Dependency"),
        "15": ("later", "PENDING", "backup", "infer", cards(2), (), "BeginTime"),
        "16": ("wants-drained", "PENDING", "daemon", "train", cards(8), (), unavailable),
        "17": ("too-long", "PENDING", "daemon", "all", cards(1, "t4"), (), "PartitionTimeLimit"),
        "18": ("pend-arr", "PENDING", "daemon", "train", cards(6, "h100"), (), "Priority"),
    }


def _summary(item: Item[SlurmJob]) -> tuple[object, ...]:
    job = item.record
    assert job
    assert item.problems == ()
    assert job.slurm_state in {job.state.name, "COMPLETED"}
    return (job.name, job.state.name, job.user, job.partition, job.gpus, job.node_gpus, job.pending_reason)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_job_has_started_only_once_it_has_nodes(version: int):
    jobs = [item.record for item in read(recording(version, "jobs"), version) if item.record]
    assert all(job.submitted_at for job in jobs)
    assert {job.started_at is None for job in jobs if job.state is WorkloadState.PENDING} == {True}
    assert {job.started_at is None for job in jobs if job.state is not WorkloadState.PENDING} == {False}


def test_times_are_in_utc():
    (full_node,) = (item.record for item in read(recording(42, "jobs"), 42) if item.key == "3")
    assert full_node
    assert full_node.submitted_at == SUBMITTED
    assert full_node.started_at == SUBMITTED
    assert full_node.node_names == ("gpu-h100-01",)
    assert full_node.holds_nodes


def test_a_job_that_completes_holds_its_node_and_no_more_gpus():
    (item,) = read(odd("job-completing"), 42)
    assert item.problems == ()
    assert item.record
    assert item.record.state is WorkloadState.TERMINATING
    assert item.record.slurm_state == "CANCELLED+COMPLETING"
    assert item.record.holds_nodes
    assert item.record.gpus == cards(1)
    assert item.record.node_gpus == ()


def test_gpus_are_told_apart_by_node_in_the_order_of_the_host_list():
    assert record().node_names == ("gpu-01", "gpu-02")
    assert record().node_gpus == (("gpu-01", 8), ("gpu-02", 2))
    assert record().gpus == cards(10, "h100")


def test_slices_are_no_cards():
    job = record(nodes="gpu-01", gres_detail=["gpu:h100:1(IDX:0),gpu:h100_3g.40gb:2(IDX:1,2)"])
    assert job.node_gpus == (("gpu-01", 1),)
    assert job.gpus == (
        *cards(1, "h100"),
        GpuClaim(resource="gres/gpu:h100_3g.40gb", unit=GpuUnit.SLICE, count=2),
    )


def test_details_of_another_number_of_nodes_tell_of_none():
    item = one(nodes="gpu-01")
    assert item.record
    assert isinstance(item.record.node_gpus, Unknown)
    assert item.record.gpus == cards(10, "h100")
    assert item.problems[0].path == "gres_detail"


def test_a_running_job_without_details_holds_an_unknown_number_if_it_asked_for_gpus():
    job = record(gres_detail=[], tres_per_node="gres/gpu:h100:4")
    assert job.gpus == cards(8, "h100")
    assert isinstance(job.node_gpus, Unknown)
    assert record(gres_detail=[]).node_gpus == ()
    assert record(gres_detail=[]).gpus == ()


@pytest.mark.parametrize(
    ("tres", "expected"),
    [
        ("cpu=4,gres/gpu=1", cards(1)),
        ("gres/gpu=8,gres/gpu:h100=8", cards(8, "h100")),
        ("gres/gpu=8,gres/gpu:h100=4", cards(8)),
    ],
)
def test_typed_gpus_of_a_tres_are_not_counted_twice(tres: str, expected: tuple[GpuClaim, ...]):
    assert record(gres_detail=[], tres_alloc_str=tres).gpus == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"tres_per_job": "gres/gpu:16", "tres_per_node": "gres/gpu:8"}, cards(16)),
        ({"tres_per_node": "gres/gpu:h100:8"}, cards(16, "h100")),
        ({"tres_per_node": "gres/gpu"}, cards(2)),
        ({"tres_per_task": "cpu=2,gres/gpu:t4=1"}, cards(4, "t4")),
        ({"tres_req_str": "cpu=4,gres/gpu=3"}, cards(3)),
        ({"tres_per_node": "gres/craynetwork:2"}, ()),
    ],
)
def test_a_waiting_job_asks_for_as_many_gpus_as_its_request_comes_to(
    asked: dict[str, object], expected: tuple[GpuClaim, ...]
):
    job = record(WAITING, **asked)
    assert job.gpus == expected
    assert job.node_gpus == ()


@pytest.mark.parametrize("node_count", [NOT_SET, WITHOUT_LIMIT, number(4294967294), number(-3), 2, None])
def test_a_request_by_node_is_unknown_while_the_number_of_nodes_is(node_count: object):
    item = one(WAITING, tres_per_node="gres/gpu:8", node_count=node_count)
    assert item.record
    assert isinstance(item.record.gpus[0].count, Unknown)
    assert item.problems[0].path == "node_count"


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        (4294967294, "is not set"),
        (65534, "is not set"),
        (-2, "is not set"),
        (None, "is not set"),
        (4294967295, "has no limit"),
        (-1, "has no limit"),
    ],
)
def test_a_marker_of_22_05_is_no_number(marker: object, problem: str):
    old = WAITING | {
        "job_state": "PENDING",
        "node_count": marker,
        "tasks": 1,
        "submit_time": 1795970495,
        "start_time": 0,
        "tres_per_node": "gres:gpu:8",
    }
    item = read_job(msgspec.Raw(msgspec.json.encode(old)), 38, "lab", 0)
    assert item.record
    assert isinstance(item.record.gpus[0].count, Unknown)
    assert [(found.path, found.text) for found in item.problems] == [("node_count", problem)]


def test_more_gpus_than_there_can_be_are_unknown():
    (claim,) = record(WAITING, tres_per_node="gres/gpu:2000000000").gpus
    assert isinstance(claim.count, Unknown)


@pytest.mark.parametrize("details", [None, ["gpu:h100:many", "gpu:h100:2"], [8, 2]])
def test_details_that_cannot_be_read_leave_open_what_is_held(details: object):
    item = one(gres_detail=details, tres_per_node="gres/gpu:h100:8")
    assert item.record
    assert isinstance(item.record.node_gpus, Unknown)
    assert item.record.gpus == cards(16, "h100")
    assert item.problems[0].path == "gres_detail"


def test_a_request_by_socket_is_unknown_and_nothing_was_skipped():
    item = one(WAITING, tres_per_socket="gres/gpu:2")
    assert item.record
    assert isinstance(item.record.gpus[0].count, Unknown)
    assert item.problems == ()


def test_a_request_that_cannot_be_read_is_for_an_unknown_number_of_gpus():
    item = one(WAITING, tres_per_node="gres/gpu:h100:many")
    assert item.record
    (claim,) = item.record.gpus
    assert isinstance(claim.count, Unknown)
    assert item.problems[0] == (
        "tres_per_node",
        "gres/gpu:h100:many",
        "counts GPUs in a way that is not known: 'gres/gpu:h100:many'",
    )


@pytest.mark.parametrize(
    ("words", "state"),
    [
        (["COMPLETING"], WorkloadState.TERMINATING),
        (["RUNNING", "COMPLETING"], WorkloadState.TERMINATING),
        (["RUNNING", "CONFIGURING", "POWER_UP_NODE"], WorkloadState.STARTING),
        (["SUSPENDED"], WorkloadState.SUSPENDED),
        (["RUNNING", "STOPPED"], WorkloadState.SUSPENDED),
        (["STOPPED"], WorkloadState.SUSPENDED),
        (["RESIZING"], WorkloadState.RUNNING),
        (["PENDING", "REQUEUE_HOLD"], WorkloadState.PENDING),
        (["TIMEOUT"], WorkloadState.FAILED),
        (["OUT_OF_MEMORY"], WorkloadState.FAILED),
        (["NODE_FAIL"], WorkloadState.FAILED),
        (["PREEMPTED"], WorkloadState.CANCELLED),
    ],
)
def test_a_state_is_understood_whether_its_flag_stands_beside_it_or_alone(
    words: list[str], state: WorkloadState
):
    job = record(job_state=words)
    assert job.state is state
    assert job.slurm_state == "+".join(words)


@pytest.mark.parametrize("word", ["SUSPENDED", "CONFIGURING", "COMPLETING", "STOPPED", "SIGNALING"])
def test_a_job_holds_its_nodes_although_it_does_not_run(word: str):
    assert record(job_state=[word]).holds_nodes
    assert not record(job_state=["COMPLETED"]).holds_nodes


@pytest.mark.parametrize("words", [["BAFFLED"], [], "RUNNING", None])
def test_a_state_that_is_not_known_is_said_to_be_unknown(words: object):
    item = one(job_state=words)
    assert item.record
    assert item.record.state is WorkloadState.UNKNOWN
    assert item.problems[0].path == "job_state"


def test_the_reason_and_its_sentence_are_told_together_and_only_while_a_job_waits():
    assert record(WAITING, state_description="no luck").pending_reason == "Resources: no luck"
    assert record(WAITING, state_reason="None").pending_reason is None
    assert record(state_reason="Resources").pending_reason is None


def test_nodes_that_cannot_be_read_leave_open_where_the_gpus_are():
    item = one(nodes="gpu-[01")
    assert item.record
    assert isinstance(item.record.node_gpus, Unknown)
    assert item.problems[0].path == "nodes"


def test_a_time_that_cannot_be_read_is_unknown():
    job = record(start_time="yesterday", submit_time=number(10**15))
    assert isinstance(job.started_at, Unknown)
    assert job.submitted_at is None


@pytest.mark.parametrize("text", [b"[]", b'{"name": "x"}', b'{"job_id": 0}', b'{"job_id": true}'])
def test_what_is_no_job_is_named_by_its_place_and_left_out(text: bytes):
    item = read_job(msgspec.Raw(text), 45, "lab", 7)
    assert item.record is None
    assert item.subject == "jobs[7]"
    assert item.problems[0].raw == text.decode()
