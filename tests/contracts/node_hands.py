"""What the reconciler's writes to a node do, and what they say where they do nothing."""

import pytest

from gateway.errors import SourceUnavailable
from gateway.fleet.live import Effect
from gateway.sources.kubernetes.hands import KubernetesHands
from tests.contracts.kubernetes_peer import CONFIG, NODES, STATE, WithHands


class NodeHandsContract(WithHands):
    """Whoever serves the API."""

    async def test_a_node_is_read_with_who_owns_what_and_what_it_offers(self, hands, peer):
        node = await hands.node(await peer.node(rack="r1"))
        assert node.ready
        assert node.boot_id == "b1"
        assert not node.unschedulable
        assert node.cordon_owners == ()
        assert node.label_owners == ("gpu-operator",)
        assert node.labels["rack"] == "r1"
        assert node.gpu_capacity == {"nvidia.com/gpu": 8, "nvidia.com/mig-1g.10gb": None}
        assert node.gpu_allocatable == {"nvidia.com/gpu": 7}

    async def test_a_node_that_is_not_there_is_none(self, hands):
        assert await hands.node("gpu-nowhere") is None

    async def test_a_cordon_is_both_fields_and_ours(self, hands, node):
        assert (await hands.cordon(node, 3)).effect is Effect.DONE
        cordoned = await hands.node(node.name)
        assert cordoned.unschedulable
        assert cordoned.cordon_owners == ("gpu-gateway",)
        assert cordoned.annotations["gpu-gateway/cordon"] == "3"
        assert cordoned.labels == node.labels

    async def test_the_same_cordon_again_writes_nothing(self, hands, node):
        await hands.cordon(node, 3)
        cordoned = await hands.node(node.name)
        assert (await hands.cordon(cordoned, 3)).effect is Effect.DONE
        assert (await hands.node(node.name)).version == cordoned.version

    async def test_a_cordon_of_a_later_generation_takes_the_place_of_the_first(self, hands, node):
        await hands.cordon(node, 3)
        assert (await hands.cordon(await hands.node(node.name), 4)).effect is Effect.DONE
        assert (await hands.node(node.name)).annotations["gpu-gateway/cordon"] == "4"

    async def test_a_late_cordon_of_a_node_that_changed_does_nothing(self, hands, peer, node):
        await peer.patch(f"{NODES}/{node.name}", {"metadata": {"labels": {"rack": "r2"}}})
        result = await hands.cordon(node, 3)
        assert result.effect is Effect.MOVED
        assert "the object has been modified" in result.message
        assert not (await hands.node(node.name)).unschedulable

    async def test_a_late_cordon_of_a_node_that_is_gone_does_not_make_it(self, hands, peer, node):
        await peer.request("DELETE", f"{NODES}/{node.name}")
        assert (await hands.cordon(node, 3)).effect is Effect.GONE
        assert await hands.node(node.name) is None

    async def test_a_node_made_anew_under_its_name_is_left_alone(self, hands, peer, node):
        await peer.request("DELETE", f"{NODES}/{node.name}")
        anew = await peer.create(NODES, {"metadata": {"name": node.name, "labels": {"rack": "r1"}}})
        assert anew["metadata"]["uid"] != node.uid
        assert (await hands.cordon(node, 3)).effect in {Effect.MOVED, Effect.GONE}
        assert (await hands.label(node, "all-1g.10gb")).effect in {Effect.MOVED, Effect.GONE}
        assert (await hands.node(node.name)).labels.get(CONFIG) is None

    async def test_what_another_manager_wrote_there_is_a_conflict_by_its_name(self, hands, peer, node):
        theirs = {"metadata": {"annotations": {"gpu-gateway/cordon": "99"}}}
        await peer.patch(f"{NODES}/{node.name}", theirs, manager="someone")
        result = await hands.cordon(await hands.node(node.name), 3)
        assert result.effect is Effect.CONFLICT
        assert '"someone"' in result.message
        assert not (await hands.node(node.name)).unschedulable

    async def test_a_person_who_uncordons_leaves_the_annotation_alone(self, hands, peer, node):
        await hands.cordon(node, 3)
        uncordon = {"spec": {"unschedulable": False}}
        await peer.patch(f"{NODES}/{node.name}", uncordon, manager="kubectl-cordon")
        found = await hands.node(node.name)
        assert not found.unschedulable
        assert found.cordon_owners == ()
        assert found.annotations["gpu-gateway/cordon"] == "3"

    async def test_a_cordon_over_that_of_a_person_is_of_both(self, hands, peer, node):
        cordon = {"spec": {"unschedulable": True}}
        await peer.patch(f"{NODES}/{node.name}", cordon, manager="kubectl-cordon")
        theirs = await hands.node(node.name)
        assert theirs.cordon_owners == ("kubectl-cordon",)
        assert (await hands.cordon(theirs, 3)).effect is Effect.DONE
        assert (await hands.node(node.name)).cordon_owners == ("gpu-gateway", "kubectl-cordon")

    async def test_giving_back_leaves_the_cordon_of_a_person(self, hands, peer, node):
        cordon = {"spec": {"unschedulable": True}}
        await peer.patch(f"{NODES}/{node.name}", cordon, manager="kubectl-cordon")
        await hands.cordon(await hands.node(node.name), 3)
        assert (await hands.give_back(await hands.node(node.name))).effect is Effect.DONE
        found = await hands.node(node.name)
        assert found.unschedulable
        assert found.cordon_owners == ("kubectl-cordon",)
        assert "gpu-gateway/cordon" not in found.annotations

    async def test_giving_back_what_was_ours_alone_opens_the_node(self, hands, node):
        await hands.cordon(node, 3)
        assert (await hands.give_back(await hands.node(node.name))).effect is Effect.DONE
        found = await hands.node(node.name)
        assert not found.unschedulable
        assert found.annotations == node.annotations
        assert found.labels == node.labels

    async def test_a_late_give_back_does_nothing(self, hands, node):
        await hands.cordon(node, 3)
        assert (await hands.give_back(node)).effect is Effect.MOVED
        assert (await hands.node(node.name)).unschedulable

    async def test_the_label_changes_and_its_state_goes_in_one_version(self, hands, node):
        assert (await hands.label(node, "all-1g.10gb")).effect is Effect.DONE
        labelled = await hands.node(node.name)
        assert labelled.labels[CONFIG] == "all-1g.10gb"
        assert STATE not in labelled.labels
        assert labelled.label_owners == ("gpu-gateway-mig",)

    async def test_the_label_does_not_touch_the_cordon(self, hands, node):
        await hands.cordon(node, 3)
        await hands.label(await hands.node(node.name), "all-1g.10gb")
        found = await hands.node(node.name)
        assert found.unschedulable
        assert found.cordon_owners == ("gpu-gateway",)

    async def test_a_late_label_does_nothing(self, hands, peer, node):
        await peer.patch(f"{NODES}/{node.name}", {"metadata": {"labels": {"rack": "r2"}}})
        assert (await hands.label(node, "all-1g.10gb")).effect is Effect.MOVED
        assert (await hands.node(node.name)).labels[CONFIG] == "all-disabled"

    async def test_a_label_of_a_node_that_is_gone_says_so(self, hands, peer, node):
        await peer.request("DELETE", f"{NODES}/{node.name}")
        assert (await hands.label(node, "all-1g.10gb")).effect is Effect.GONE

    async def test_a_value_that_no_label_may_have_is_refused_in_the_servers_words(self, hands, node):
        result = await hands.label(node, "all disabled")
        assert result.effect is Effect.REFUSED
        assert "a valid label must be" in result.message

    async def test_where_no_time_is_left_nothing_is_asked(self, api, peer, node):
        hands = KubernetesHands(api, seconds=lambda: 0)
        with pytest.raises(SourceUnavailable, match="no time is left"):
            await hands.cordon(node, 3)
        found = await peer.request("GET", f"{NODES}/{node.name}")
        assert found["metadata"]["resourceVersion"] == node.version
