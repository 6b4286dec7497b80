"""The simulated API server as the stand-ins of a node reach it: in the same process."""

import contextlib
from collections.abc import Mapping, Sequence

from gateway.simulator.ending import delete
from gateway.simulator.kinds import NODES, PODS
from gateway.simulator.operator.port import Json
from gateway.simulator.status import Declined
from gateway.simulator.writing import By, Place, Writer

_RUNNING = {
    "phase": "Running",
    "conditions": [
        {"type": kind, "status": "True"}
        for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
    ],
}


class SimulatedCluster:
    """A store of objects, changed under the same rules that its clients are held to."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    async def node(self, name: str) -> Json | None:
        """The node as it is now; None where there is none."""
        try:
            return self._node(name).found()
        except Declined:
            return None

    async def patch_node(self, name: str, patch: Mapping[str, Json], *, manager: str, status: bool) -> None:
        """Merge this into the node, or into its status; a node that is gone is no error."""
        by = By(manager=manager, subresource="status" if status else "")
        with contextlib.suppress(Declined):
            self._writer.merge(self._node(name), patch, by)

    async def pods(self, node: str) -> Sequence[Json]:
        """The pods that are bound to a node."""
        there = self._writer.store.serve(PODS).snapshot()
        return [stored.body for stored in there if stored.body["spec"].get("nodeName") == node]

    async def create_pod(self, pod: Json) -> None:
        """Create a pod that runs and is ready."""
        place = self._pod(pod)
        self._writer.create(place, pod, By(manager="kube-controller-manager"))
        status = _RUNNING | {"startTime": self._writer.now()}
        self._writer.merge(place, {"status": status}, By(manager="kubelet", subresource="status"))

    async def end_pod(self, pod: Json) -> None:
        """Delete this very pod at once, as its kubelet does; one that is gone is no error."""
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}}
        with contextlib.suppress(Declined):
            delete(self._writer, self._pod(pod), options)

    def _node(self, name: str) -> Place:
        return Place(collection=self._writer.store.serve(NODES), namespace="", name=name)

    def _pod(self, pod: Json) -> Place:
        metadata, collection = pod["metadata"], self._writer.store.serve(PODS)
        return Place(collection=collection, namespace=metadata["namespace"], name=metadata["name"])
