"""How a stand-in reaches its cluster: a simulated API server, or a real one."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = Any

MANAGER, PLUGIN = "nvidia-mig-manager", "nvidia-device-plugin-daemonset"
"""The label `app` of the operator's pods."""
DEPLOY = "nvidia.com/gpu.deploy."
PAUSED = "paused-for-mig-change"


class ClusterPort(Protocol):
    """What the stand-ins ask of an API server."""

    async def node(self, name: str) -> Json | None:
        """The node as it is now; None where there is none."""

    async def patch_node(self, name: str, patch: Mapping[str, Json], *, manager: str, status: bool) -> None:
        """Merge this into the node, or into its status."""

    async def pods(self, node: str) -> Sequence[Json]:
        """The pods that are bound to a node."""

    async def create_pod(self, pod: Json) -> None:
        """Create a pod that runs and is ready."""

    async def end_pod(self, pod: Json) -> None:
        """Delete this very pod at once, as its kubelet does; one that is gone is no error."""
