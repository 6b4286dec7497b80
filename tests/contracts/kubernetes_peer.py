"""A Kubernetes API server as a test of writes meets it: the gateway's hands, and everyone else's."""

import contextlib
import secrets
from abc import ABC, abstractmethod

import pytest

from gateway.sources.kubernetes.access import ClusterAccess
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.configurations import CONFIG_MAP
from gateway.sources.kubernetes.hands import KubernetesHands

NAMESPACE = "hands"
NODES = "/api/v1/nodes"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
BUDGETS = f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets"
CONFIG_MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
DAEMON_SETS = f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets"
MERGE = "application/merge-patch+json"
CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"


class Peer(ABC):
    """A Kubernetes API server, and everyone else who works on it."""

    access: ClusterAccess

    def __init__(self):
        self.made = []

    @abstractmethod
    async def request(self, method, path, body=None, content_type="application/json"):
        """The server's answer as JSON; an error where it refuses."""

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
            with contextlib.suppress(Exception):
                await self.patch(path, {"metadata": {"finalizers": None}})
            with contextlib.suppress(Exception):
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
