"""What the reconciler does to a cluster's nodes and pods, one request each, and how it sees them before.

The managers' names tell the gateway's two kinds of fields apart: an apply owns exactly what it sends, so a
manager that applies the cordon may own nothing else.
"""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from gateway.errors import SourceMisread, System
from gateway.fleet.live import (
    CORDON,
    CORDON_OWNER,
    LABEL_OWNER,
    MIG_CONFIG,
    MIG_STATE,
    EffectResult,
    LayoutsFile,
    LiveNode,
    LivePod,
)
from gateway.sources.kubernetes.api import Api, Query, Request
from gateway.sources.kubernetes.configurations import Configurations
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.live import APPLY, MERGE, LiveApi
from gateway.sources.kubernetes.live_node import RawNode, read_live_node
from gateway.sources.kubernetes.live_pod import RawPods, read_live_pod

_SECONDS = 10.0


def _ten_seconds() -> float:
    return _SECONDS


class KubernetesHands:
    """One cluster's nodes and pods, as `gateway.fleet.ports.NodeHands` asks for them."""

    def __init__(
        self, api: Api, *, namespace: str = "gpu-operator", seconds: Callable[[], float] = _ten_seconds
    ) -> None:
        """Take the namespace of the GPU operator, and how long the next request may take."""
        self._api = LiveApi(api, seconds)
        self._configurations = Configurations(self._api, namespace)

    async def node(self, name: str) -> LiveNode | None:
        """The node as it is now."""
        node = await self._api.read(_node(name), RawNode)
        return None if node is None else read_live_node(node)

    async def pods(self, node: str) -> Sequence[LivePod]:
        """What is bound to it and has not ended; one that cannot be read is never left out."""
        return await self._pods([("fieldSelector", f"spec.nodeName={node}")])

    async def operands(self, node: str, app: str) -> Sequence[LivePod]:
        """The operator's pods of one app there."""
        return await self._pods([("fieldSelector", f"spec.nodeName={node}"), ("labelSelector", f"app={app}")])

    async def cordon(self, node: LiveNode, generation: int) -> EffectResult:
        """Apply spec.unschedulable and our annotation, both, never forced."""
        annotations = {CORDON: str(generation)}
        return await self._apply(node, {"annotations": annotations}, {"spec": {"unschedulable": True}})

    async def give_back(self, node: LiveNode) -> EffectResult:
        """Apply neither: a co-owner's value stays."""
        return await self._apply(node, {}, {})

    async def label(self, node: LiveNode, config: str) -> EffectResult:
        """Set nvidia.com/mig.config and take its state away, in one patch."""
        labels = {MIG_CONFIG: config, MIG_STATE: None}
        patch = {"metadata": {"uid": node.uid, "resourceVersion": node.version, "labels": labels}}
        return await self._api.write(_patch(node, LABEL_OWNER, patch, MERGE))

    async def evict(self, pod: LivePod, *, dry_run: bool) -> EffectResult:
        """Ask for an eviction of this very pod.

        Where a namesake of it does not run yet, kube-apiserver (1.36.3) says so after ten seconds only.
        """
        options = {"preconditions": {"uid": pod.uid}} | ({"dryRun": ["All"]} if dry_run else {})
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": options,
        }
        return await self._api.write(Request(method="POST", path=f"{_pod(pod)}/eviction", body=body))

    async def delete(self, pod: LivePod) -> EffectResult:
        """Delete this very pod of the operator."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}}
        return await self._api.write(Request(method="DELETE", path=_pod(pod), body=body))

    async def layouts(self) -> LayoutsFile:
        """The MIG manager's configurations."""
        return await self._configurations.read()

    async def add_layout(self, name: str, text: str) -> EffectResult:
        """Add a configuration to the gateway's ConfigMap, which it makes where there is none."""
        return await self._configurations.add(name, text)

    async def _pods(self, query: Query) -> Sequence[LivePod]:
        found = await self._api.read("/api/v1/pods", RawPods, query)
        if found is None:
            raise SourceMisread(System.KUBERNETES, f"cluster {self._api.cluster}: it serves no pods")
        try:
            read = [read_live_pod(self._api.cluster, raw) for raw in found.items]
        except UNREADABLE as error:
            where = f"cluster {self._api.cluster}: a pod of {query[0][1]}"
            raise SourceMisread(System.KUBERNETES, f"{where} cannot be read: {error}") from error
        return [pod for pod in read if pod is not None]

    async def _apply(
        self, node: LiveNode, metadata: dict[str, object], rest: dict[str, object]
    ) -> EffectResult:
        held = {"name": node.name, "uid": node.uid, "resourceVersion": node.version}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": held | metadata} | rest
        return await self._api.write(_patch(node, CORDON_OWNER, body, APPLY))


def _node(name: str) -> str:
    return f"/api/v1/nodes/{quote(name, safe='')}"


def _pod(pod: LivePod) -> str:
    return f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"


def _patch(node: LiveNode, manager: str, body: object, content_type: str) -> Request:
    return Request(
        method="PATCH",
        path=_node(node.name),
        query=[("fieldManager", manager)],
        body=body,
        content_type=content_type,
    )
