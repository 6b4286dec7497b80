"""What the stand-ins for NVIDIA's operands write on a node, in which order, whoever serves the API."""

import pytest

from gateway.fleet.live import MIG_CONFIG, MIG_STATE, Effect
from gateway.simulator.operator.kubelet import Kubelet
from gateway.simulator.operator.mig_manager import MigFault, MigManager
from gateway.simulator.operator.operands import Operands
from gateway.simulator.operator.port import DEPLOY, MANAGER, PAUSED, PLUGIN
from tests.contracts.kubernetes_peer import NODES, PODS, WithHands
from tests.mig_file import read_cuts

FILE = """
version: v1
mig-configs:
  all-disabled:
  - devices: all
    mig-enabled: false
  all-1g.10gb:
  - devices: all
    mig-enabled: true
    mig-devices: {1g.10gb: 7}
  half:
  - devices: [0, 1]
    mig-enabled: true
    mig-devices: {3g.40gb: 2}
"""
CUTS = read_cuts(FILE, 8)
SWITCH = f"{DEPLOY}device-plugin"


class Machine:
    """A node with its operands, and the hands that change it."""

    def __init__(self, hands, peer, port, name):
        self.hands, self._peer, self.name = hands, peer, name
        self.manager = MigManager(port, name, lambda: CUTS, CUTS["all-disabled"])
        self._parts = (Kubelet(port, name), Operands(port, name), self.manager)

    async def step(self):
        for part in self._parts:
            await part.step()

    async def steps(self, count=10):
        for _ in range(count):
            await self.step()

    async def ask(self, config):
        result = await self.hands.label(await self.node(), config)
        assert result.effect is Effect.DONE

    async def states(self, config, most=12):
        """The states that are seen one after another once this is asked."""
        await self.ask(config)
        seen = []
        for _ in range(most):
            await self.step()
            state = (await self.node()).labels.get(MIG_STATE)
            if state and seen[-1:] != [state]:
                seen.append(state)
        return seen

    async def node(self):
        return await self.hands.node(self.name)

    async def offers(self):
        return {name: count for name, count in (await self.node()).gpu_allocatable.items() if count}

    async def plugins(self):
        return await self.hands.operands(self.name, PLUGIN)


class MigManagerContract(WithHands):
    """A subclass has fixtures `peer` and `port`."""

    @pytest.fixture
    async def machine(self, hands, peer, port):
        on = {f"{DEPLOY}{operand}": "true" for operand in ("device-plugin", "mig-manager", "dcgm")}
        name = await peer.node(**on, **{f"{DEPLOY}nvsm": "false"})
        whole = {"nvidia.com/gpu": "8"}
        await peer.status(f"{NODES}/{name}", {"capacity": whole, "allocatable": whole})
        for app in (MANAGER, PLUGIN):
            await peer.pod(name, metadata={"labels": {"app": app}})
        machine = Machine(hands, peer, port, name)
        await machine.step()
        yield machine
        for pod in await port.pods(name):
            await port.end_pod(pod)

    async def test_a_change_is_pending_then_paused_then_a_success_and_then_served(self, machine):
        (old,) = await machine.plugins()
        assert await machine.offers() == {"nvidia.com/gpu": 8}
        await machine.ask("all-1g.10gb")
        assert MIG_STATE not in (await machine.node()).labels
        await machine.step()
        node = await machine.node()
        assert (node.labels[MIG_STATE], node.labels[SWITCH]) == ("pending", "true")
        await machine.steps(2)
        node = await machine.node()
        assert (node.labels[SWITCH], node.labels[f"{DEPLOY}nvsm"]) == (PAUSED, "false")
        assert (await machine.plugins(), await machine.offers()) == ([], {})
        await machine.steps()
        node = await machine.node()
        assert (node.labels[MIG_STATE], node.labels[SWITCH]) == ("success", "true")
        assert await machine.offers() == {"nvidia.com/mig-1g.10gb": 56}
        (new,) = await machine.plugins()
        assert new.uid != old.uid
        assert new.ready

    async def test_some_cards_are_cut_and_the_others_stay_whole(self, machine):
        assert await machine.states("half") == ["pending", "success"]
        assert await machine.offers() == {"nvidia.com/gpu": 6, "nvidia.com/mig-3g.40gb": 4}

    async def test_a_layout_that_is_applied_already_is_a_success_at_once(self, machine):
        await machine.states("half")
        machine.manager.cut = CUTS["all-1g.10gb"]
        assert await machine.states("all-1g.10gb") == ["success"]

    async def test_a_name_that_it_does_not_know_fails_at_once(self, machine):
        assert await machine.states("gw-unknown") == ["failed"]
        assert await machine.offers() == {"nvidia.com/gpu": 8}

    async def test_a_label_of_the_value_that_it_has_is_not_looked_at_until_its_pod_is_another(self, machine):
        await machine.states("half")
        assert await machine.states("half", 3) == []
        (pod,) = await machine.hands.operands(machine.name, MANAGER)
        assert (await machine.hands.delete(pod)).effect is Effect.DONE
        await machine.steps(4)
        assert (await machine.node()).labels[MIG_STATE] == "success"

    async def test_a_card_that_somebody_holds_makes_it_fail_and_the_old_layout_is_served(self, machine, peer):
        name = await peer.pod(machine.name, limits={"nvidia.com/gpu": "1"})
        assert await machine.states("half") == ["pending", "failed"]
        assert await machine.offers() == {"nvidia.com/gpu": 8}
        assert (await machine.node()).labels[SWITCH] == "true"
        await peer.request("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
        assert await machine.states("all-1g.10gb") == ["pending", "success"]

    @pytest.mark.parametrize(
        ("fault", "states", "offered"),
        [
            (MigFault.DEAF, [], {"nvidia.com/gpu": 8}),
            (MigFault.FAILS, ["pending", "failed"], {"nvidia.com/gpu": 8}),
            (MigFault.STAYS_PENDING, ["pending"], {}),
            (
                MigFault.REBOOTS,
                ["pending", "rebooting", "success"],
                {"nvidia.com/gpu": 6, "nvidia.com/mig-3g.40gb": 4},
            ),
            (MigFault.STAYS_REBOOTING, ["pending", "rebooting"], {}),
            (MigFault.CUTS_NOTHING, ["pending", "success"], {"nvidia.com/gpu": 8}),
        ],
    )
    async def test_each_fault_is_told_and_served_in_its_way(self, machine, fault, states, offered):
        booted = (await machine.node()).boot_id
        machine.manager.fault = fault
        assert await machine.states("half") == states
        assert await machine.offers() == offered
        assert ((await machine.node()).boot_id != booted) == (fault is MigFault.REBOOTS)
        assert (await machine.node()).labels[MIG_CONFIG] == "half"

    async def test_an_evicted_pod_is_gone_once_its_kubelet_saw_it(self, machine, peer):
        name = await peer.pod(machine.name)
        (pod,) = [pod for pod in await machine.hands.pods(machine.name) if pod.name == name]
        await machine.hands.evict(pod, dry_run=False)
        await machine.steps(2)
        assert name not in {pod.name for pod in await machine.hands.pods(machine.name)}
