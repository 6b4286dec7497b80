"""Turns an answer of an older REST version into the newest shape, one step after the other.

Each step names what differs between two versions as far as it is read here; the newest shape is the only
one that any reader knows.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from msgspec import UNSET, structs

from gateway.sources.slurm.numbers import INFINITE_MARKERS, UNSET_MARKERS
from gateway.sources.slurm.shapes import JobShape, NodeShape, PingShape

S = TypeVar("S", NodeShape, JobShape, PingShape)


def _same(shape: S) -> S:
    return shape


class Step(NamedTuple):
    """From one version to the next that is read."""

    node: Callable[[NodeShape], NodeShape] = _same
    job: Callable[[JobShape], JobShape] = _same
    ping: Callable[[PingShape], PingShape] = _same


def _node_of_38(node: NodeShape) -> NodeShape:
    """One lower-case state with its flags apart; null for a reason that nobody set."""
    flags = node.state_flags if isinstance(node.state_flags, list) else []
    state = [node.state, *flags] if isinstance(node.state, str) else node.state
    return structs.replace(node, state=state, reason_set_by_user=_text_of_38(node.reason_set_by_user))


def _job_of_38(job: JobShape) -> JobShape:
    """One word as state, plain numbers with markers, `gres:gpu` where later versions write `gres/gpu`."""
    return structs.replace(
        job,
        job_state=[job.job_state] if isinstance(job.job_state, str) else job.job_state,
        node_count=_number_of_38(job.node_count),
        tasks=_number_of_38(job.tasks),
        submit_time=_number_of_38(job.submit_time),
        start_time=_number_of_38(job.start_time),
        tres_per_job=_tres_of_38(job.tres_per_job),
        tres_per_node=_tres_of_38(job.tres_per_node),
        tres_per_socket=_tres_of_38(job.tres_per_socket),
        tres_per_task=_tres_of_38(job.tres_per_task),
    )


def _ping_of_38(ping: PingShape) -> PingShape:
    """`ping` was renamed."""
    return structs.replace(ping, pinged=ping.ping)


def _ping_of_41(ping: PingShape) -> PingShape:
    """A word that v0.0.42 has beside a boolean, and v0.0.45 no more."""
    return structs.replace(ping, responding=UNSET if ping.pinged is UNSET else ping.pinged == "UP")


def _text_of_38(value: Any) -> Any:  # noqa: ANN401  (as it came)
    return "" if value is None else value


def _tres_of_38(value: Any) -> Any:  # noqa: ANN401  (as it came)
    return value.replace("gres:", "gres/") if isinstance(value, str) else _text_of_38(value)


def _number_of_38(value: Any) -> Any:  # noqa: ANN401  (as it came)
    """Write a plain number as later versions do; null stands for what is not set, or has no limit."""
    if value is None or value in UNSET_MARKERS:
        return {"set": False, "infinite": False, "number": 0}
    if value in INFINITE_MARKERS:
        return {"set": False, "infinite": True, "number": 0}
    return {"set": True, "infinite": False, "number": value} if isinstance(value, int) else value


STEPS: tuple[tuple[int, Step], ...] = (
    (37, Step()),  # 38 adds container, group_name and prefer to jobs
    (38, Step(node=_node_of_38, job=_job_of_38, ping=_ping_of_38)),
    (40, Step()),  # 41 has another job_resources, and gpu_spec
    (41, Step(ping=_ping_of_41)),
    (42, Step()),  # 43 adds licenses_allocated, segment_size, topology and expanded paths
    (43, Step()),  # 44 adds step_id and submit_line to jobs
    (44, Step()),  # 45 drops pinged and mode from pings, tres_weighted and power from nodes
)


def upgrade_node(node: NodeShape, version: int) -> NodeShape:
    """Write a node as the newest version does."""
    for number, step in STEPS:
        node = step.node(node) if number >= version else node
    return node


def upgrade_job(job: JobShape, version: int) -> JobShape:
    """Write a job as the newest version does."""
    for number, step in STEPS:
        job = step.job(job) if number >= version else job
    return job


def upgrade_ping(ping: PingShape, version: int) -> PingShape:
    """Write a ping as the newest version does."""
    for number, step in STEPS:
        ping = step.ping(ping) if number >= version else ping
    return ping
