"""A Kubernetes API server as a test of writes meets it: the gateway's hands, and everyone else's."""

import contextlib
import json
import secrets

import aiohttp
import pytest

from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.configurations import CONFIG_MAP
from gateway.sources.kubernetes.hands import KubernetesHands
from tests.servers.control_plane import Refusal

NAMESPACE = "hands"
NODES = "/api/v1/nodes"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
BUDGETS = f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets"
CONFIG_MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
DAEMON_SETS = f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets"
MERGE = "application/merge-patch+json"
CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"


class Peer:
    """A Kubernetes API server, and everyone else who works on it."""

    def __init__(self, access, session):
        self.access = access
        self.made = []
        """Paths of what is taken away when the test is over."""
        self._session = session

    async def request(self, method, path, body=None, content_type="application/json"):
        """The server's answer as JSON; a Refusal where it refuses."""
        data, headers = None if body is None else json.dumps(body), {"Content-Type": content_type}
        async with self._session.request(method, path, data=data, headers=headers) as response:
            answer = await response.text()
            if not response.ok:
                raise Refusal(f"{method} {path}: {response.status} {answer}")
            return json.loads(answer)

    async def create(self, path, body, manager="kubectl"):
        """Create an object, with its status, until the test is over."""
        made = await self.request("POST", f"{path}?fieldManager={manager}", body)
        at = f"{path}/{made['metadata']['name']}"
        self.made.append(at)
        return await self.status(at, body["status"]) if "status" in body else made

    async def status(self, path, status):
        return await self.request("PATCH", f"{path}/status", {"status": status}, MERGE)

    async def patch(self, path, patch, manager="kubectl"):
        return await self.request("PATCH", f"{path}?fieldManager={manager}", patch, MERGE)

    async def clean(self):
        """Take away what was created, and what keeps it from going."""
        for path in [*self.made, f"{CONFIG_MAPS}/{CONFIG_MAP}"]:
            with contextlib.suppress(Refusal, aiohttp.ClientError):
                await self.patch(path, {"metadata": {"finalizers": None}})
            with contextlib.suppress(Refusal, aiohttp.ClientError):
                await self.request("DELETE", f"{path}?gracePeriodSeconds=0")

    async def node(self, **labels):
        """A new node that is ready, and its name."""
        name = f"gpu-{secrets.token_hex(4)}"
        status = {
            "capacity": {"nvidia.com/gpu": "8", "nvidia.com/mig-1g.10gb": "2000", "cpu": "64"},
            "allocatable": {"nvidia.com/gpu": "7", "cpu": "63"},
            "conditions": [{"type": "Ready", "status": "True", "reason": "Up", "message": "up"}],
            "nodeInfo": dict.fromkeys(INFO, "") | {"bootID": "b1"},
        }
        metadata = {"name": name, "labels": {CONFIG: "all-disabled", STATE: "success", **labels}}
        await self.create(NODES, {"metadata": metadata, "status": status}, manager="gpu-operator")
        return name

    async def pod(self, node, *, name=None, running=True, metadata=None, **spec):
        """A new pod that is bound to the node, and its name."""
        name = name or f"pod-{secrets.token_hex(4)}"
        container = {"name": "main", "image": "train:1", "resources": {"limits": spec.pop("limits", {})}}
        body = {
            "metadata": {"name": name, **(metadata or {})},
            "spec": {"nodeName": node, "containers": [container], **spec},
        }
        ready = [{"type": "Ready", "status": "True"}]
        status = {"phase": "Running", "conditions": ready} if running else {"phase": "Pending"}
        await self.create(PODS, body | {"status": status})
        return name

    async def budget(self, app, allowed):
        """A new disruption budget for the pods of an app."""
        name = f"budget-{secrets.token_hex(4)}"
        spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}}
        status = {
            "disruptionsAllowed": allowed,
            "currentHealthy": 1,
            "desiredHealthy": 1,
            "expectedPods": 1,
            "observedGeneration": 1,
        }
        await self.create(BUDGETS, {"metadata": {"name": name}, "spec": spec, "status": status})
        return name

    async def mig_manager(self, config_map):
        """The DaemonSet of a MIG manager that reads this ConfigMap."""
        labels = {"app": "nvidia-mig-manager"}
        volumes = [{"name": "mig-parted-config", "configMap": {"name": config_map}}]
        pod = {"containers": [{"name": "main", "image": "mig:1"}], "volumes": volumes}
        spec = {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        }
        metadata = {"name": "nvidia-mig-manager", "labels": labels}
        await self.create(DAEMON_SETS, {"metadata": metadata, "spec": spec})


INFO = (
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
)


class WithHands:
    """What contracts about writes stand on; the subclass that runs them has a fixture `peer`."""

    @pytest.fixture
    async def api(self, peer):
        opened = Api(peer.access)
        yield opened
        await opened.close()
        await peer.clean()

    @pytest.fixture
    def hands(self, api):
        return KubernetesHands(api, namespace=NAMESPACE)

    @pytest.fixture
    async def node(self, hands, peer):
        return await hands.node(await peer.node())


class PeerPort:
    """The cluster of a peer as the stand-ins for the operator reach it: over the API."""

    def __init__(self, peer):
        self._peer = peer

    async def node(self, name):
        found = await self._peer.request("GET", NODES)
        return next((node for node in found["items"] if node["metadata"]["name"] == name), None)

    async def patch_node(self, name, patch, *, manager, status):
        await self._peer.patch(f"{NODES}/{name}{'/status' if status else ''}", patch, manager)

    async def pods(self, node):
        found = await self._peer.request("GET", f"/api/v1/pods?fieldSelector=spec.nodeName={node}")
        return found["items"]

    async def create_pod(self, pod):
        ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        await self._peer.create(_pods(pod), pod | {"status": ready})

    async def end_pod(self, pod):
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}}
        await self._peer.request("DELETE", f"{_pods(pod)}/{pod['metadata']['name']}", options)


def _pods(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
