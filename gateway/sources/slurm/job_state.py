"""Slurm's words for the state of a job, and what they mean."""

from gateway.fleet.workload import WorkloadState

_MEANINGS = {
    # 22.05 puts some of these flags in the place of the base state, later releases beside it: the first
    # that is found decides.
    "COMPLETING": WorkloadState.TERMINATING,
    "STAGE_OUT": WorkloadState.TERMINATING,
    "CONFIGURING": WorkloadState.STARTING,
    "POWER_UP_NODE": WorkloadState.STARTING,
    "STOPPED": WorkloadState.SUSPENDED,
    "SUSPENDED": WorkloadState.SUSPENDED,
    "PENDING": WorkloadState.PENDING,
    "RUNNING": WorkloadState.RUNNING,
    "COMPLETED": WorkloadState.SUCCEEDED,
    "CANCELLED": WorkloadState.CANCELLED,
    "PREEMPTED": WorkloadState.CANCELLED,
    "REVOKED": WorkloadState.CANCELLED,
    "FAILED": WorkloadState.FAILED,
    "TIMEOUT": WorkloadState.FAILED,
    "NODE_FAIL": WorkloadState.FAILED,
    "BOOT_FAIL": WorkloadState.FAILED,
    "LAUNCH_FAILED": WorkloadState.FAILED,
    "DEADLINE": WorkloadState.FAILED,
    "OUT_OF_MEMORY": WorkloadState.FAILED,
    "RESIZING": WorkloadState.RUNNING,
    "SIGNALING": WorkloadState.RUNNING,
    "REQUEUED": WorkloadState.PENDING,
    "REQUEUE_FED": WorkloadState.PENDING,
    "REQUEUE_HOLD": WorkloadState.PENDING,
    "SPECIAL_EXIT": WorkloadState.PENDING,
    "RESV_DEL_HOLD": WorkloadState.PENDING,
}


def read_state(words: tuple[str, ...]) -> WorkloadState:
    """Say how far a job is."""
    found = next((state for word, state in _MEANINGS.items() if word in words), None)
    if found is None:
        raise ValueError(f"is no state that is known: {'+'.join(words)}")
    return found
