"""A fleet of one machine, as a directory of dumps."""

import json
from pathlib import Path

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "gpu-01",
        "uid": "uid-1",
        "creationTimestamp": "2026-11-01T00:00:00Z",
        "labels": {"nvidia.com/gpu.count": "8", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
    },
    "status": {
        "capacity": {"nvidia.com/gpu": "8"},
        "allocatable": {"nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}
PLATFORM = """
tenants:
  - name: vision
    nodes: [{name: gpu-01, target: KUBERNETES}]
"""


def write_bundle(folder: Path) -> Path:
    """Write the dumps and say where they are."""
    (folder / "kubernetes").mkdir(parents=True)
    (folder / "kubernetes" / "nodes.json").write_text(json.dumps(NODE))
    (folder / "kubernetes" / "pods.json").write_text('{"kind": "List", "items": []}')
    return folder
