from datetime import UTC, datetime

import msgspec
import pytest

from gateway.fleet.slurm import SlurmJob
from gateway.fleet.unknown import Unknown
from gateway.fleet.workload import WorkloadState
from gateway.sources.slurm.answers import read_list
from gateway.sources.slurm.api import Answer
from gateway.sources.slurm.jobs import read_job
from gateway.sources.sync import Item
from tests.sources.slurm.jobs import WAITING, cards, number, one, record
from tests.sources.slurm.recordings import VERSIONS, odd, recording

SUBMITTED = datetime(2026, 11, 29, 16, 41, 35, tzinfo=UTC)
UNAVAILABLE_IN_22_05 = "ReqNodeNotAvail, UnavailableNodes:gpu-h100-03"
UNAVAILABLE_LATER = "ReqNodeNotAvail, May be reserved for other job"


def read(body: bytes, version: int = 45) -> list[Item[SlurmJob]]:
    found = read_list(Answer("slurm", 200, body), "jobs")
    return [read_job(text, version, "lab", at) for at, text in enumerate(found)]


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
