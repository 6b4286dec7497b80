import secrets
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from gateway.errors import SourceRefused, System
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.access import ClusterAccess, InCluster, Kubeconfig, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.nodes import nodes
from gateway.sources.kubernetes.pods import pods
from gateway.sources.volcano.queues import queues
from tests.contracts.kubernetes_source import KubernetesSourceContract, Peer, config_maps, watching
from tests.servers.control_plane import MERGE_PATCH, Refusal
from tests.servers.volcano import QUEUES, serve_volcano, withdraw_volcano

WRONG = "wrong"


def by_token(control_plane, token):
    return ClusterAccess(name="fleet", way=Url(url=control_plane.url, token=token, ca_file=control_plane.ca))


class Real(Peer):
    def __init__(self, control_plane):
        self._control_plane = control_plane
        self.access = ClusterAccess(name="fleet", way=Kubeconfig(path=control_plane.kubeconfig))
        self.refused = by_token(control_plane, WRONG)

    async def put(self, namespace, name, data):
        body = {"metadata": {"name": name}, "data": data}
        try:
            await self._control_plane.create(self._path(namespace), body)
        except Refusal as refusal:
            if ": 404" in str(refusal):
                await self._control_plane.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
                await self._control_plane.create(self._path(namespace), body)
            else:
                await self._control_plane.request("PUT", f"{self._path(namespace)}/{name}", body)

    async def delete(self, namespace, name):
        await self._control_plane.request("DELETE", f"{self._path(namespace)}/{name}")

    async def forget_versions(self):
        # A restarted server knows no version from before its start; a write that the watch does not see
        # leaves the watch with such a one.
        await self.put("default", f"unseen-{secrets.token_hex(4)}", {})
        await self._control_plane.restart()

    async def stop(self):
        self._control_plane.api_server.kill()

    async def start(self):
        await self._control_plane.restart()

    def _path(self, namespace):
        return f"/api/v1/namespaces/{namespace}/configmaps"


class TestRealKubernetes(KubernetesSourceContract):
    @pytest.fixture
    async def peer(self, control_plane) -> AsyncIterator[Real]:
        return Real(control_plane)

    async def test_a_user_who_may_not_read_is_refused_in_the_servers_words(self, control_plane):
        access = by_token(control_plane, control_plane.powerless_token)
        key = SourceKey(System.KUBERNETES, "fleet", "configmaps")
        async with watching(access, config_maps("default")) as feed:
            await feed.until(lambda: feed.contacts[key].consecutive_failures > 0)
            assert "configmaps is forbidden" in feed.contacts[key].error
            assert not feed.contacts[key].retryable

    async def test_a_pod_reaches_its_server_by_its_service_account(self, control_plane, tmp_path):
        address = urlsplit(control_plane.url)
        environ = {"KUBERNETES_SERVICE_HOST": address.hostname, "KUBERNETES_SERVICE_PORT": str(address.port)}
        token_file = tmp_path / "token"
        token_file.write_text(f"{control_plane.token}\n")
        way = InCluster(token_file=token_file, ca_file=control_plane.ca, environ=environ)
        api = Api(ClusterAccess(name="fleet", way=way))
        assert b'"gitVersion"' in await api.read("/version")
        await api.close()

    async def test_a_certificate_that_is_not_trusted_is_told_and_nothing_is_sent(self, control_plane):
        api = Api(ClusterAccess(name="fleet", way=Url(url=control_plane.url, token=control_plane.token)))
        with pytest.raises(SourceRefused, match="certificate verify failed"):
            await api.read("/version")
        await api.close()

    async def test_a_server_that_is_stopped_but_whose_kernel_acknowledges_is_found(self, control_plane):
        key = SourceKey(System.KUBERNETES, "fleet", "configmaps")
        access = by_token(control_plane, control_plane.token)
        async with watching(access, config_maps("default")) as feed:
            await feed.until(lambda: key in feed.rows)
            control_plane.api_server.pause()
            try:
                await feed.until(lambda: feed.contacts[key].consecutive_failures > 0)
                assert feed.contacts[key].retryable
            finally:
                control_plane.api_server.resume()
            await feed.until(lambda: feed.contacts[key].consecutive_failures == 0)

    async def test_reads_a_node_and_who_cordoned_it_as_the_server_stores_them(self, control_plane, live_node):
        async with watching(by_token(control_plane, control_plane.token), nodes("fleet")) as feed:
            node = await row(feed, "nodes", live_node)
            assert node.ready is True
            assert (node.cordoned, node.cordoned_by) == (True, "tester")
            assert node.gpu_labels.count == 8
            (gpu,) = node.resources
            assert (gpu.capacity.value, gpu.allocatable.value) == (8, 7)

    async def test_reads_a_pod_that_is_bound_and_waits(self, control_plane, live_node):
        path, amounts = "/api/v1/namespaces/default/pods", {"nvidia.com/gpu": "2"}
        container = {"name": "main", "image": "train:1", "resources": {"limits": amounts}}
        spec = {"nodeName": live_node, "containers": [container]}
        await control_plane.create(path, {"metadata": {"name": "live-0"}, "spec": spec})
        try:
            async with watching(by_token(control_plane, control_plane.token), pods("fleet")) as feed:
                pod = await row(feed, "pods", ("default", "live-0"))
                assert (pod.phase, pod.state.name, pod.node_name) == ("Pending", "STARTING", live_node)
                assert [claim.count for claim in pod.gpus] == [2]
        finally:
            await control_plane.request("DELETE", f"{path}/live-0?gracePeriodSeconds=0")

    @pytest.fixture
    async def live_node(self, control_plane) -> AsyncIterator[str]:
        path, gpus = "/api/v1/nodes", {"nvidia.com/gpu": "8", "cpu": "64", "memory": "1Ti", "pods": "110"}
        status = {
            "capacity": gpus,
            "allocatable": {**gpus, "nvidia.com/gpu": "7"},
            "conditions": [{"type": "Ready", "status": "True", "reason": "Up", "message": "up"}],
        }
        metadata = {"name": "live-01", "labels": {"nvidia.com/gpu.count": "8"}}
        await control_plane.create(path, {"metadata": metadata, "status": status})
        cordon = {"spec": {"unschedulable": True}}
        await control_plane.request("PATCH", f"{path}/live-01?fieldManager=tester", cordon, MERGE_PATCH)
        yield "live-01"
        await control_plane.request("DELETE", f"{path}/live-01")


class TestRealVolcanoKinds:
    async def test_a_queue_comes_back_as_it_was_written(self, volcano_api):
        body = {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "Queue",
            "metadata": {"name": "live"},
            "spec": {
                "capability": {"nvidia.com/gpu": 8},
                "deserved": {"nvidia.com/gpu": "4", "memory": "13Gi"},
            },
        }
        await volcano_api.create(QUEUES, body)
        try:
            async with watching(by_token(volcano_api, volcano_api.token), queues("fleet")) as feed:
                held = await row(feed, "queues", "live")
                assert [(it.text, it.value) for it in held.capability] == [("8", 8)]
                assert [(it.text, it.value) for it in held.deserved] == [("13Gi", 13 * 2**30), ("4", 4)]
        finally:
            await volcano_api.request("DELETE", f"{QUEUES}/live")

    async def test_queues_are_absent_once_volcano_is_withdrawn_and_there_when_it_is_back(self, volcano_api):
        key = SourceKey(System.KUBERNETES, "fleet", "queues")
        async with watching(by_token(volcano_api, volcano_api.token), queues("fleet")) as feed:
            await feed.until(lambda: key in feed.rows and not feed.contacts[key].absent)
            await withdraw_volcano(volcano_api)
            try:
                await feed.until(lambda: feed.contacts[key].absent)
            finally:
                await serve_volcano(volcano_api)
            await feed.until(lambda: not feed.contacts[key].absent)


async def row(feed, kind, name):
    """One row, once it is told."""
    key = SourceKey(System.KUBERNETES, "fleet", kind)
    await feed.until(lambda: name in feed.rows.get(key, {}))
    return feed.rows[key][name]
