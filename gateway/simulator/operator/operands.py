"""The operator's DaemonSets on one node: a pod of each, while the node's labels ask for it."""

import copy
import secrets

from gateway.simulator.operator.port import DEPLOY, MANAGER, PAUSED, PLUGIN, ClusterPort, Json

_SWITCHES = {PLUGIN: f"{DEPLOY}device-plugin", MANAGER: f"{DEPLOY}mig-manager"}


class Operands:
    """Keeps the pods of the MIG manager and of the device plugin, made after those that were there first."""

    def __init__(self, port: ClusterPort, node: str) -> None:
        self._port = port
        self._node = node
        self._templates: dict[str, Json] = {}

    async def step(self) -> None:
        """End what is paused or asked to go, and make anew what is missing."""
        node = await self._port.node(self._node)
        if node is None:
            return
        labels = node["metadata"].get("labels") or {}
        pods = await self._port.pods(self._node)
        for app, switch in _SWITCHES.items():
            own = [pod for pod in pods if (pod["metadata"].get("labels") or {}).get("app") == app]
            await self._keep(app, own, wanted=labels.get(switch) not in {PAUSED, "false"})

    async def _keep(self, app: str, pods: list[Json], *, wanted: bool) -> None:
        staying = []
        for pod in pods:
            self._templates.setdefault(app, pod)
            if wanted and not pod["metadata"].get("deletionTimestamp"):
                staying.append(pod)
            else:
                await self._port.end_pod(pod)
        if wanted and not staying and app in self._templates:
            await self._port.create_pod(_another(self._templates[app], app))


def _another(template: Json, app: str) -> Json:
    metadata = template["metadata"]
    kept = {key: metadata[key] for key in ("namespace", "labels", "ownerReferences") if key in metadata}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": copy.deepcopy(kept) | {"name": f"{app}-{secrets.token_hex(3)}"},
        "spec": copy.deepcopy(template["spec"]),
    }
