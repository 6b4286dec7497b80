"""The reconciler on a real API server, held to what it is held to on the simulated one."""

import asyncio

import pytest

from tests.contracts.kubernetes_peer import PODS, PeerPort
from tests.contracts.reconciler import LAYOUT, ReconcilerContract
from tests.live.peers import real_peer

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
MATCHES = {
    "resourceRules": [
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods/eviction"]}
    ]
}


class TestReconcilerOnARealServer(ReconcilerContract):
    @pytest.fixture
    async def peer(self, control_plane):
        async with real_peer(control_plane) as one:
            yield one

    @pytest.fixture
    def port(self, peer):
        return PeerPort(peer)

    async def test_an_admission_that_refuses_the_eviction_is_told_in_its_words(self, site, peer):
        pod = await self.work(site, peer, name="precious-0")
        keep = {
            "expression": "!object.metadata.name.startsWith('precious-')",
            "message": "precious pods stay",
        }
        spec = {"matchConstraints": MATCHES, "validations": [keep], "failurePolicy": "Fail"}
        await peer.create(
            f"{ADMISSION}/validatingadmissionpolicies", {"metadata": {"name": "keep"}, "spec": spec}
        )
        bound = {"policyName": "keep", "validationActions": ["Deny"]}
        at = f"{ADMISSION}/validatingadmissionpolicybindings"
        await peer.create(at, {"metadata": {"name": "keep"}, "spec": bound})
        await refused(site, pod)
        await site.ask(LAYOUT, (pod.id,))

        observed = await site.turns(3)

        assert (observed.phase.value, observed.blockers[0].cause.value) == ("BLOCKED", "ADMISSION")
        assert "precious pods stay" in observed.message
        assert not (await site.machine.node()).unschedulable


async def refused(site, pod):
    """Wait until the server has learnt of the policy, which it does by watching."""
    for _ in range(100):
        if (await site.machine.hands.evict(pod, dry_run=True)).message:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{PODS}/{pod.name} may be evicted after ten seconds")
