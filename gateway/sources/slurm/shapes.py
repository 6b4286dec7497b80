"""What is read of slurmrestd's nodes, jobs and pings, under the names and in the forms of v0.0.45.

Nothing is promised about the types: each value is read by itself, so that an odd one spoils no other.
"""

from typing import Any

from msgspec import UNSET, Struct


class NodeShape(Struct):
    """A node."""

    name: Any = UNSET
    state: Any = UNSET
    state_flags: Any = UNSET
    """Until v0.0.38; later they stand in `state`."""
    reason: Any = UNSET
    reason_set_by_user: Any = UNSET
    partitions: Any = UNSET
    gres: Any = UNSET
    gres_used: Any = UNSET
    comment: Any = UNSET


class JobShape(Struct):
    """A job."""

    job_id: Any = UNSET
    name: Any = UNSET
    job_state: Any = UNSET
    state_reason: Any = UNSET
    state_description: Any = UNSET
    user_name: Any = UNSET
    partition: Any = UNSET
    nodes: Any = UNSET
    node_count: Any = UNSET
    tasks: Any = UNSET
    submit_time: Any = UNSET
    start_time: Any = UNSET
    gres_detail: Any = UNSET
    tres_alloc_str: Any = UNSET
    tres_req_str: Any = UNSET
    tres_per_job: Any = UNSET
    tres_per_node: Any = UNSET
    tres_per_socket: Any = UNSET
    tres_per_task: Any = UNSET


class PingShape(Struct):
    """What one slurmctld said to slurmrestd."""

    hostname: Any = UNSET
    ping: Any = UNSET
    """Until v0.0.38."""
    pinged: Any = UNSET
    """v0.0.40 to v0.0.44."""
    responding: Any = UNSET
