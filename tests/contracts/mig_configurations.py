"""Whose file the MIG manager reads, and what the gateway adds to its own."""

import pytest

from gateway.errors import SourceMisread
from gateway.fleet.layout_text import layout_text
from gateway.fleet.live import Effect
from gateway.sources.kubernetes.configurations import CONFIG_MAP, Configurations
from gateway.sources.kubernetes.live import LiveApi
from tests.contracts.kubernetes_peer import CONFIG_MAPS, NAMESPACE, WithHands

RULES = layout_text([{"1g.10gb": 7}, {"1g.10gb": 7}])


class MigConfigurationsContract(WithHands):
    """Whoever serves the API."""

    async def test_without_a_mig_manager_no_configuration_is_known(self, hands):
        found = await hands.layouts()
        assert (found.names, found.ours, found.is_ours) == (frozenset(), {}, False)

    async def test_the_configurations_are_those_that_the_manager_mounts(self, hands, peer):
        text = "version: v1\nmig-configs:\n  all-1g.10gb:\n  - devices: all\n    mig-enabled: false\n"
        await peer.create(CONFIG_MAPS, {"metadata": {"name": "theirs"}, "data": {"config.yaml": text}})
        await peer.mig_manager("theirs")
        await hands.add_layout("gw-1", RULES)
        found = await hands.layouts()
        assert found.names == {"all-1g.10gb"}
        assert found.where == f"ConfigMap {NAMESPACE}/theirs"
        assert not found.is_ours
        assert found.ours.keys() == {"gw-1"}

    async def test_a_file_that_the_manager_cannot_read_either_is_no_empty_one(self, hands, peer):
        await peer.mig_manager("nowhere")
        with pytest.raises(
            SourceMisread, match=f"ConfigMap {NAMESPACE}/nowhere is mounted, and is not there"
        ):
            await hands.layouts()
        body = {"metadata": {"name": "nowhere"}, "data": {"config.yaml": "mig-configs: ["}}
        await peer.create(CONFIG_MAPS, body)
        with pytest.raises(SourceMisread, match="holds no MIG layouts"):
            await hands.layouts()

    async def test_the_gateways_file_is_made_and_has_what_the_operator_asks_of_each_node(self, hands, peer):
        await peer.mig_manager(CONFIG_MAP)
        assert (await hands.add_layout("gw-1", RULES)).effect is Effect.DONE
        found = await hands.layouts()
        assert found.is_ours
        assert found.names == {"all-disabled", "gw-1"}
        assert found.ours == {"gw-1": RULES}

    async def test_an_entry_keeps_its_meaning_and_the_file_what_others_put_there(self, hands, peer):
        await hands.add_layout("gw-1", RULES)
        await peer.patch(f"{CONFIG_MAPS}/{CONFIG_MAP}", {"metadata": {"labels": {"team": "platform"}}})
        other = layout_text([{"1g.10gb": 7}, {}])
        assert (await hands.add_layout("gw-1", other)).effect is Effect.DONE
        assert (await hands.add_layout("gw-2", other)).effect is Effect.DONE
        found = await hands.layouts()
        assert found.ours == {"gw-1": RULES, "gw-2": other}
        file = await peer.request("GET", f"{CONFIG_MAPS}/{CONFIG_MAP}")
        assert "all-disabled" in file["data"]["config.yaml"]
        assert file["metadata"]["labels"]["team"] == "platform"

    async def test_a_file_that_changed_since_it_was_read_is_not_written_over(self, api, hands):
        await hands.add_layout("gw-1", RULES)

        class Beaten(LiveApi):
            async def write(self, request):
                await hands.add_layout("gw-2", RULES)
                return await super().write(request)

        late = Configurations(Beaten(api, lambda: 10.0), NAMESPACE)
        assert (await late.add("gw-3", RULES)).effect is Effect.MOVED
        assert (await hands.layouts()).ours.keys() == {"gw-1", "gw-2"}
