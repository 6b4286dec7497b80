"""Kueue's workloads on a real API server: served, and checked by nothing."""

from tests.servers.control_plane import ControlPlane
from tests.servers.volcano import serve

_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_WORKLOADS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {
        "name": "workloads.kueue.x-k8s.io",
        # The group is protected: a definition of it names who approved of it.
        "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
    },
    "spec": {
        "group": "kueue.x-k8s.io",
        "scope": "Namespaced",
        "names": {"kind": "Workload", "plural": "workloads", "singular": "workload"},
        "versions": [
            {"name": "v1beta1", "served": True, "storage": True, "schema": {"openAPIV3Schema": _ANYTHING}}
        ],
    },
}


async def serve_kueue(control_plane: ControlPlane) -> None:
    """Make the API server serve workloads, and wait until it does."""
    await serve(control_plane, _WORKLOADS)
