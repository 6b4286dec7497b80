"""Volcano's scheduler as its chart installs it: a Deployment, and the ConfigMap that it mounts."""

CONFIG = """
actions: "enqueue, allocate, reclaim, backfill"
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
"""


def a_deployment(
    image="docker.io/volcanosh/vc-scheduler:v1.13.3",
    *,
    name="volcano-scheduler",
    namespace="volcano-system",
    arguments=("--logtostderr", "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf"),
    labels=None,
):
    container = {
        "name": name,
        "image": image,
        "args": list(arguments),
        "volumeMounts": [
            {"name": "klog-sock", "mountPath": "/tmp/klog-socks"},  # noqa: S108  as the chart has it
            {"name": "scheduler-config", "mountPath": "/volcano.scheduler"},
        ],
    }
    volumes = [
        {"name": "scheduler-config", "configMap": {"name": f"{name}-configmap"}},
        {"name": "klog-sock", "emptyDir": {}},
    ]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"app": "volcano-scheduler"} if labels is None else labels,
        },
        "spec": {"template": {"spec": {"containers": [container], "volumes": volumes}}},
    }


def a_config_map(text=CONFIG, *, name="volcano-scheduler-configmap", key="volcano-scheduler.conf"):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "volcano-system"},
        "data": {key: text},
    }
