"""Volcano's scheduler as it is installed: the Deployment, and the ConfigMap that it mounts."""

from collections.abc import Iterator

from gateway.simulator.scenario.operators import VOLCANO
from gateway.simulator.store import Json

_NAMESPACE, _NAME, _CONFIG = "volcano-system", "volcano-scheduler", "volcano-scheduler-configmap"
_FILE = "volcano-scheduler.conf"
_TEXT = """\
actions: "enqueue, allocate, backfill, reclaim"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: predicates
  - name: capacity
    enableHierarchy: true
  - name: nodeorder
  - name: binpack
"""


def scheduler_objects() -> Iterator[Json]:
    """What an administrator installed."""
    container = {
        "name": _NAME,
        "image": f"volcanosh/vc-scheduler:{VOLCANO}",
        "args": [f"--scheduler-conf=/volcano.scheduler/{_FILE}"],
        "volumeMounts": [{"name": "config", "mountPath": "/volcano.scheduler"}],
    }
    volume = {"name": "config", "configMap": {"name": _CONFIG}}
    labels = {"app": "volcano-scheduler"}
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": _NAME, "namespace": _NAMESPACE, "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container], "volumes": [volume]},
            },
        },
    }
    yield {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": _CONFIG, "namespace": _NAMESPACE},
        "data": {_FILE: _TEXT},
    }
