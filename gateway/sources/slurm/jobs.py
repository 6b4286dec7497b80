"""Reads Slurm's jobs."""

import msgspec

from gateway.fleet.gpu import GpuClaim
from gateway.fleet.slurm import HOLDING, SlurmJob
from gateway.fleet.unknown import Unknown
from gateway.fleet.workload import WorkloadState
from gateway.sources.slurm.hostlist import read_hostlist
from gateway.sources.slurm.job_gpus import JobGpus, NodeGpus
from gateway.sources.slurm.job_state import read_state
from gateway.sources.slurm.numbers import read_time
from gateway.sources.slurm.reading import Reading, read_text, read_texts
from gateway.sources.slurm.shapes import JobShape
from gateway.sources.slurm.upgrades import upgrade_job
from gateway.sources.sync import Item, Problem


def read_job(text: msgspec.Raw, version: int, slurm_cluster: str, place: int) -> Item[SlurmJob]:
    """Read one job; `place` names it where it does not say its number.

    The tasks of an array that have not started are one job, which tells what each of them asks.
    """
    try:
        job = upgrade_job(msgspec.json.decode(text, type=JobShape), version)
        job_id = _job_id(job.job_id)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        subject = f"jobs[{place}]"
        problem = Problem("", bytes(text).decode(errors="replace"), f"is no job of Slurm: {error}")
        return Item(key=subject, subject=subject, record=None, problems=(problem,))
    reading = Reading()
    record = _record(job, job_id, slurm_cluster, reading)
    return Item(key=job_id, subject=f"jobs/{job_id}", record=record, problems=reading.problems)


def _record(job: JobShape, job_id: str, slurm_cluster: str, reading: Reading) -> SlurmJob:
    words = reading.read("job_state", job.job_state, _words)
    words = () if isinstance(words, Unknown) else words
    state = _state(job, words, reading)
    nodes = reading.read("nodes", job.nodes, _hosts)
    gpus = JobGpus(job, reading)
    claims = gpus.claims()
    name = reading.read("name", job.name, read_text)
    submitted_at = reading.read("submit_time", job.submit_time, read_time)
    has_started = bool(nodes) and state is not WorkloadState.PENDING
    return SlurmJob(
        slurm_cluster=slurm_cluster,
        job_id=job_id,
        name="" if isinstance(name, Unknown) else name,
        state=state,
        slurm_state="+".join(words),
        gpus=claims,
        node_names=() if isinstance(nodes, Unknown) else nodes,
        node_gpus=nodes if isinstance(nodes, Unknown) else _by_node(gpus, nodes, claims, words),
        user=_optional("user_name", job.user_name, reading),
        partition=_optional("partition", job.partition, reading),
        submitted_at=None if isinstance(submitted_at, Unknown) else submitted_at,
        # While it waits, start_time is when Slurm expects to start it.
        started_at=reading.read("start_time", job.start_time, read_time) if has_started else None,
        pending_reason=_pending_reason(job, reading) if state is WorkloadState.PENDING else None,
    )


def _by_node(
    gpus: JobGpus, nodes: tuple[str, ...], claims: tuple[GpuClaim, ...], words: tuple[str, ...]
) -> NodeGpus | Unknown:
    if not nodes or HOLDING.isdisjoint(words):
        return ()
    # A job that completes holds its nodes, and 24.11 counts its GPUs as free already: nothing is missing.
    return gpus.by_node(nodes, () if "COMPLETING" in words else claims)


def _state(job: JobShape, words: tuple[str, ...], reading: Reading) -> WorkloadState:
    if not words:
        return WorkloadState.UNKNOWN
    state = reading.read("job_state", job.job_state, lambda _: read_state(words))
    return WorkloadState.UNKNOWN if isinstance(state, Unknown) else state


def _pending_reason(job: JobShape, reading: Reading) -> str | None:
    """Why it waits: Slurm's word, and the sentence that it has for some of them."""
    reason = _optional("state_reason", job.state_reason, reading)
    sentence = _optional("state_description", job.state_description, reading)
    if sentence is None or reason is None:
        return sentence or (None if reason == "None" else reason)
    return sentence if sentence.startswith(reason) else f"{reason}: {sentence}"


def _optional(path: str, value: object, reading: Reading) -> str | None:
    text = reading.read(path, value, read_text)
    return None if isinstance(text, Unknown) or not text else text


def _words(value: object) -> tuple[str, ...]:
    words = tuple(word.upper() for word in read_texts(value))
    if not words:
        raise ValueError("is empty")
    return words


def _hosts(value: object) -> tuple[str, ...]:
    return read_hostlist(read_text(value))


def _job_id(value: object) -> str:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError("job_id is no number")
    return str(value)
