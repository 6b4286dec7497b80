"""What comes of evictions and deletions, and which pods a node is said to have."""

from gateway.fleet.live import Effect
from tests.contracts.kubernetes_peer import PODS, WithHands


class PodHandsContract(WithHands):
    """Whoever serves the API."""

    async def test_pods_are_those_that_are_bound_and_have_not_ended(self, hands, peer, node):
        gpus = {"nvidia.com/gpu": "2"}
        train = await peer.pod(node.name, limits=gpus)
        other = await peer.pod("gpu-elsewhere", limits=gpus)
        ended = await peer.pod(node.name, limits=gpus)
        await peer.status(f"{PODS}/{ended}", {"phase": "Succeeded"})
        (pod,) = await hands.pods(node.name)
        assert pod.name == train != other
        assert (pod.holds_gpus, pod.ready, pod.terminating, pod.owner) == (True, True, False, None)
        assert pod.created_at is not None

    async def test_a_pod_holds_gpus_by_a_resource_or_by_a_claim(self, hands, peer, node):
        plain = await peer.pod(node.name, limits={"cpu": "1"})
        sliced = await peer.pod(node.name, limits={"nvidia.com/mig-1g.10gb": "1"})
        claims = [{"name": "gpu", "resourceClaimName": "mine"}]
        claiming = await peer.pod(node.name, running=False, resourceClaims=claims)
        found = {pod.name: pod.holds_gpus for pod in await hands.pods(node.name)}
        assert found == {plain: False, sliced: True, claiming: True}

    async def test_a_pod_that_would_come_back_is_told_by_its_owner_or_as_a_mirror(self, hands, peer, node):
        owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "1", "controller": True}
        daemon = await peer.pod(node.name, metadata={"ownerReferences": [owner]})
        mirror = await peer.pod(node.name, metadata={"annotations": {"kubernetes.io/config.mirror": "1"}})
        found = {pod.name: pod for pod in await hands.pods(node.name)}
        assert found[daemon].owner == "DaemonSet/d"
        assert found[daemon].comes_back
        assert found[mirror].is_mirror
        assert found[mirror].comes_back

    async def test_the_operators_pods_are_found_by_their_app(self, hands, peer, node):
        manager = await peer.pod(node.name, metadata={"labels": {"app": "nvidia-mig-manager"}})
        await peer.pod(node.name, metadata={"labels": {"app": "nvidia-device-plugin-daemonset"}})
        await peer.pod("gpu-elsewhere", metadata={"labels": {"app": "nvidia-mig-manager"}})
        (pod,) = await hands.operands(node.name, "nvidia-mig-manager")
        assert pod.name == manager

    async def test_an_eviction_that_is_only_tried_changes_nothing(self, hands, peer, node):
        await peer.pod(node.name)
        (pod,) = await hands.pods(node.name)
        assert (await hands.evict(pod, dry_run=True)).effect is Effect.DONE
        assert await hands.pods(node.name) == [pod]

    async def test_an_evicted_pod_is_terminating_until_its_kubelet_ends_it(self, hands, peer, node):
        name = await peer.pod(node.name)
        (pod,) = await hands.pods(node.name)
        assert (await hands.evict(pod, dry_run=False)).effect is Effect.DONE
        (going,) = await hands.pods(node.name)
        assert going.terminating
        await peer.request("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
        assert await hands.pods(node.name) == []
        assert (await hands.evict(pod, dry_run=False)).effect is Effect.GONE

    async def test_a_namesake_is_not_evicted(self, hands, peer, node):
        name = await peer.pod(node.name)
        (pod,) = await hands.pods(node.name)
        await peer.request("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
        await peer.pod(node.name, name=name)
        assert (await hands.evict(pod, dry_run=True)).effect is Effect.GONE
        assert (await hands.evict(pod, dry_run=False)).effect is Effect.GONE
        (namesake,) = await hands.pods(node.name)
        assert not namesake.terminating

    async def test_a_pod_with_a_finalizer_is_evicted_again_and_again(self, hands, peer, node):
        await peer.pod(node.name, metadata={"finalizers": ["example.com/keep"]})
        (pod,) = await hands.pods(node.name)
        assert (await hands.evict(pod, dry_run=False)).effect is Effect.DONE
        assert (await hands.evict(pod, dry_run=False)).effect is Effect.DONE
        await peer.request("DELETE", f"{PODS}/{pod.name}?gracePeriodSeconds=0")
        (kept,) = await hands.pods(node.name)
        assert kept.terminating
        assert kept.finalizers == ("example.com/keep",)
        await peer.patch(f"{PODS}/{pod.name}", {"metadata": {"finalizers": None}})
        assert await hands.pods(node.name) == []

    async def test_a_disruption_budget_that_is_used_up_says_so_by_name(self, hands, peer, node):
        await peer.pod(node.name, metadata={"labels": {"app": "one"}})
        budget = await peer.budget("one", 0)
        (pod,) = await hands.pods(node.name)
        for dry_run in (True, False):
            result = await hands.evict(pod, dry_run=dry_run)
            assert result.effect is Effect.BUDGET
            assert budget in result.message
        assert await hands.pods(node.name) == [pod]

    async def test_a_disruption_budget_is_used_up_by_evictions_and_not_by_trials(self, hands, peer, node):
        for _ in range(2):
            await peer.pod(node.name, metadata={"labels": {"app": "two"}})
        await peer.budget("two", 1)
        first, second = await hands.pods(node.name)
        assert (await hands.evict(first, dry_run=True)).effect is Effect.DONE
        assert (await hands.evict(first, dry_run=False)).effect is Effect.DONE
        assert (await hands.evict(second, dry_run=False)).effect is Effect.BUDGET

    async def test_a_disruption_budget_does_not_hold_a_pod_that_does_not_run_yet(self, hands, peer, node):
        await peer.pod(node.name, running=False, metadata={"labels": {"app": "three"}})
        await peer.budget("three", 0)
        (pod,) = await hands.pods(node.name)
        assert (await hands.evict(pod, dry_run=True)).effect is Effect.DONE

    async def test_two_disruption_budgets_are_a_refusal_in_the_servers_words(self, hands, peer, node):
        await peer.pod(node.name, metadata={"labels": {"app": "four"}})
        await peer.budget("four", 1)
        await peer.budget("four", 1)
        (pod,) = await hands.pods(node.name)
        result = await hands.evict(pod, dry_run=True)
        assert result.effect is Effect.REFUSED
        assert "more than one PodDisruptionBudget" in result.message

    async def test_a_pod_is_deleted_by_its_uid(self, hands, peer, node):
        name = await peer.pod(node.name)
        (pod,) = await hands.pods(node.name)
        assert (await hands.delete(pod)).effect is Effect.DONE
        (going,) = await hands.pods(node.name)
        assert going.terminating
        await peer.request("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
        assert (await hands.delete(pod)).effect is Effect.GONE
