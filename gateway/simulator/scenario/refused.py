"""A Job whose pods a quota refuses: they never come to be, and only an event tells of them."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from gateway.simulator.scenario.hardware import GPU
from gateway.simulator.scenario.node_objects import stamp, uid
from gateway.simulator.scenario.quota_objects import quota
from gateway.simulator.store import Json

_NAMESPACE, _JOB, _QUOTA, _KEY = "vision-evaluation", "ablation", "whole-cards", f"requests.{GPU}"
_MESSAGE = (
    f'Error creating: pods "{_JOB}-x7k2p" is forbidden: exceeded quota: {_QUOTA}, '
    f"requested: {_KEY}=8, used: {_KEY}=4, limited: {_KEY}=8"
)


def refused_objects(now: datetime) -> Iterator[Json]:
    """The quota, and what the Job controller says each time that it tries."""
    yield quota(_NAMESPACE, _QUOTA, {_KEY: "8"}, {_KEY: "4"})
    about = {"apiVersion": "batch/v1", "kind": "Job", "namespace": _NAMESPACE, "name": _JOB}
    yield {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{_JOB}.refused", "namespace": _NAMESPACE, "uid": uid("event", _JOB)},
        "involvedObject": about | {"uid": uid("owner", _NAMESPACE, _JOB)},
        "type": "Warning",
        "reason": "FailedCreate",
        "message": _MESSAGE,
        "source": {"component": "job-controller"},
        "count": 6,
        "firstTimestamp": stamp(now - timedelta(minutes=19)),
        "lastTimestamp": stamp(now - timedelta(minutes=2)),
    }
