"""The kubelet of one node, as far as pods that were asked to go need it."""

from gateway.simulator.operator.port import ClusterPort


class Kubelet:
    """Ends what was asked to go, one step after it saw it so."""

    def __init__(self, port: ClusterPort, node: str) -> None:
        self._port = port
        self._node = node
        self._stopping: set[str] = set()

    async def step(self) -> None:
        """End the pods that were terminating at the last step, and remember those that are now."""
        pods = await self._port.pods(self._node)
        going = {pod["metadata"]["uid"]: pod for pod in pods if pod["metadata"].get("deletionTimestamp")}
        for uid in going.keys() & self._stopping:
            await self._port.end_pod(going[uid])
        self._stopping = set(going)
