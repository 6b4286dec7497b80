import asyncio

import pytest

from gateway.errors import SourceMisread, SourceUnavailable
from gateway.simulator.faults import WireFault
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.sources.kubernetes.hands import KubernetesHands
from tests.contracts.mig_configurations import MigConfigurationsContract
from tests.contracts.node_hands import NodeHandsContract
from tests.contracts.pod_hands import PodHandsContract
from tests.sources.kubernetes.simulated import simulated


@pytest.fixture
async def peer():
    async with simulated() as one:
        yield one


class TestSimulatedHands(NodeHandsContract, PodHandsContract, MigConfigurationsContract):
    async def test_a_server_that_hangs_costs_the_time_that_was_left_and_no_more(self, api, peer, node):
        hands = KubernetesHands(api, seconds=lambda: 0.2)
        peer.api.fault = WireFault.HUNG
        async with asyncio.timeout(5):
            with pytest.raises(SourceUnavailable, match="no answer in time"):
                await hands.cordon(node, 3)
            with pytest.raises(SourceUnavailable, match="no answer in time"):
                await hands.node(node.name)
        peer.api.fault = None

    @pytest.mark.parametrize("fault", [KubernetesFault.UNAVAILABLE, WireFault.CUT])
    async def test_a_server_that_does_not_judge_is_an_error_and_no_outcome(self, hands, peer, node, fault):
        peer.api.fault = fault
        with pytest.raises(SourceUnavailable):
            await hands.cordon(node, 3)
        peer.api.fault = None

    async def test_what_is_read_is_never_what_a_servers_cache_had_before(self, api, node):
        asked = []

        class Told:
            cluster = api.cluster

            async def exchange(self, request):
                asked.append(request)
                return await api.exchange(request)

        hands = KubernetesHands(Told())
        await hands.node(node.name)
        await hands.pods(node.name)
        await hands.operands(node.name, "nvidia-mig-manager")
        await hands.layouts()
        assert len(asked) == 5
        assert not [request for request in asked if "resourceVersion" in dict(request.query)]

    async def test_a_pod_that_cannot_be_read_is_never_left_out(self, hands, peer, node):
        odd = {"name": "odd", "namespace": "hands", "uid": "1"}
        spec = {"nodeName": node.name, "containers": "none"}
        peer.api.store.put({"apiVersion": "v1", "kind": "Pod", "metadata": odd, "spec": spec})
        with pytest.raises(SourceMisread, match=f"a pod of spec.nodeName={node.name} cannot be read"):
            await hands.pods(node.name)

    async def test_admission_that_refuses_is_told_in_its_words(self, hands, peer, node):
        await peer.pod(node.name)
        (pod,) = await hands.pods(node.name)
        peer.api.writer.admission = lambda what, _: f"{what}: not in working hours"
        assert (await hands.evict(pod, dry_run=True)).message.endswith("pods/eviction: not in working hours")
        assert (await hands.cordon(node, 3)).message.endswith("nodes: not in working hours")
