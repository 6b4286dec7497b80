"""What comes of a wished layout, whoever serves the API, by production's own hands and a real database."""

from contextlib import suppress
from itertools import count

import pytest

from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.fleet.live import CORDON, MIG_CONFIG
from gateway.simulator.operator.mig_manager import MigFault
from gateway.simulator.operator.port import DEPLOY, MANAGER, PLUGIN
from gateway.sources.kubernetes.configurations import CONFIG_MAP
from gateway.sources.postgres.migrate import migrate
from tests.contracts.kubernetes_peer import CONFIG_MAPS, DAEMON_SETS, NODES, PODS, WithHands
from tests.contracts.mig_manager import FILE, Machine
from tests.contracts.reconciled import SEVENTHS, Reconciled
from tests.fakes.killed import Fuse, surviving
from tests.gpu_labels import mixed
from tests.mig_file import read_cuts
from tests.servers.control_plane import Refusal

LAYOUT = MigLayout(config="all-1g.10gb")
LABELS = mixed(8) | {f"{DEPLOY}device-plugin": "true", f"{DEPLOY}mig-manager": "true"}


async def a_machine(hands, peer, port):
    """A node of eight A100-80GB, whole, with the operator's programs."""
    name = await peer.node(**LABELS)
    whole = {"nvidia.com/gpu": "8", "nvidia.com/mig-1g.10gb": None}
    await peer.status(f"{NODES}/{name}", {"capacity": whole, "allocatable": whole})
    for app in (MANAGER, PLUGIN):
        await peer.pod(name, metadata={"labels": {"app": app}})
    machine = Machine(hands, peer, port, name)
    await machine.step()
    return machine


class ReconcilerContract(WithHands):
    """A subclass has fixtures `peer` and `port`."""

    @pytest.fixture
    async def make(self, hands, peer, port, postgres_dsn):
        """Make a node of eight A100-80GB with its record, as often as it is called."""
        await migrate(postgres_dsn)
        await peer.create(CONFIG_MAPS, {"metadata": {"name": "theirs"}, "data": {"config.yaml": FILE}})
        await peer.mig_manager("theirs")
        machines = []

        async def made():
            machine = await a_machine(hands, peer, port)
            machines.append(machine)
            site = Reconciled(machine, peer, postgres_dsn)
            await site.begin()
            return site

        yield made
        for machine in machines:
            for pod in await port.pods(machine.name):
                with suppress(Refusal):
                    await peer.patch(f"{PODS}/{pod['metadata']['name']}", {"metadata": {"finalizers": None}})
                    await port.end_pod(pod)

    @pytest.fixture
    async def site(self, make):
        return await make()

    async def test_a_layout_is_reached_and_the_node_is_given_back(self, site, peer):
        pods = [await self.work(site, peer) for _ in range(2)]
        await site.ask(LAYOUT, tuple(pod.id for pod in pods))

        observed = await site.converges()

        node = await site.machine.node()
        assert site.phases == ["CORDONING", "DRAINING", "APPLYING", "UNCORDONING", "CONVERGED"], observed
        assert await site.machine.offers() == SEVENTHS
        assert (node.unschedulable, CORDON in node.annotations) == (False, False)
        assert (node.labels[MIG_CONFIG], node.label_owners) == ("all-1g.10gb", ("gpu-gateway-mig",))
        assert observed.converged

    async def test_a_pod_that_nobody_acknowledged_stops_it_before_and_after_the_cordon(self, site, peer):
        await site.ask(LAYOUT)
        await site.until("CORDONING")
        late = await self.work(site, peer)

        observed = await site.turns(4)

        assert observed.blockers[0].workload_id == late.id
        assert (await site.machine.node()).labels[MIG_CONFIG] == "all-disabled"

    async def test_a_disruption_budget_keeps_the_node_untouched(self, site, peer):
        pod = await self.work(site, peer, metadata={"labels": {"app": "kept"}})
        budget = await peer.budget("kept", 0)
        await site.ask(LAYOUT, (pod.id,))

        observed = await site.turns(3)

        assert (observed.phase.value, observed.blockers[0].cause.value) == ("BLOCKED", "DISRUPTION_BUDGET")
        assert budget in observed.message
        assert not (await site.machine.node()).unschedulable

    async def test_two_disruption_budgets_are_told_in_the_servers_words(self, site, peer):
        pod = await self.work(site, peer, metadata={"labels": {"app": "twice"}})
        await site.ask(LAYOUT, (pod.id,))
        await site.until("CORDONING")
        for _ in range(2):
            await peer.budget("twice", 1)

        observed = await site.turns(8)

        assert (observed.phase.value, observed.blockers[0].cause.value) == ("BLOCKED", "DISRUPTION_BUDGET")
        assert "more than one PodDisruptionBudget" in observed.message

    async def test_a_finalizer_is_waited_for_and_then_the_node_is_given_back(self, site, peer):
        pod = await self.work(site, peer, metadata={"finalizers": ["example.com/keep"]})
        await site.ask(LAYOUT, (pod.id,))
        await site.until("DRAINING")

        observed = await site.turns(20, every=120)

        assert (observed.phase.value, observed.blockers[0].cause.value) == ("BLOCKED", "FINALIZER")
        assert not (await site.machine.node()).unschedulable

    async def test_a_person_who_uncordons_midway_has_the_last_word(self, site, peer):
        await site.ask(LAYOUT)
        await site.until("DRAINING")
        uncordon = {"spec": {"unschedulable": False}}
        await peer.patch(f"{NODES}/{site.machine.name}", uncordon, manager="kubectl-cordon")

        observed = await site.turns(10)

        node = await site.machine.node()
        assert (observed.phase.value, observed.blockers[0].cause.value) == ("BLOCKED", "PERSON")
        assert (node.unschedulable, node.labels[MIG_CONFIG]) == (False, "all-disabled")

    async def test_the_cordon_of_a_person_stays(self, site, peer):
        cordon = {"spec": {"unschedulable": True}}
        await peer.patch(f"{NODES}/{site.machine.name}", cordon, manager="kubectl-cordon")
        await site.ask(LAYOUT)

        observed = await site.converges()

        node = await site.machine.node()
        assert observed.converged
        assert (node.unschedulable, node.cordon_owners) == (True, ("kubectl-cordon",))

    async def test_a_node_made_anew_under_its_name_is_another_machine(self, site, peer):
        await site.ask(LAYOUT)
        await site.until("DRAINING")
        await peer.request("DELETE", f"{NODES}/{site.machine.name}")
        labels = LABELS | {MIG_CONFIG: "all-disabled"}
        await peer.create(NODES, {"metadata": {"name": site.machine.name, "labels": labels}})

        observed = await site.turns(10)

        assert observed.phase.value == "BLOCKED"
        assert "another machine of this name" in observed.message

    @pytest.mark.parametrize(
        ("fault", "phase"),
        [
            (MigFault.FAILS, "FAILED"),
            (MigFault.STAYS_PENDING, "BLOCKED"),
            (MigFault.STAYS_REBOOTING, "BLOCKED"),
            (MigFault.CUTS_NOTHING, "FAILED"),
            (MigFault.DEAF, "BLOCKED"),
            (MigFault.REBOOTS, "CONVERGED"),
        ],
    )
    async def test_each_fault_of_the_mig_manager_is_told_and_keeps_the_cordon(self, site, fault, phase):
        site.machine.manager.fault = fault
        await site.ask(LAYOUT)
        await site.until("APPLYING")

        observed = await site.turns(20, every=120)

        assert observed.phase.value == phase
        assert (await site.machine.node()).unschedulable == (phase != "CONVERGED")

    async def test_a_layout_that_is_there_already_touches_nothing(self, site, peer):
        before = await peer.request("GET", f"{NODES}/{site.machine.name}")
        await site.ask(MigLayout(config="all-disabled"))

        observed = await site.turns(2)

        after = await peer.request("GET", f"{NODES}/{site.machine.name}")
        assert observed.converged
        assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]

    async def test_a_layout_card_by_card_is_read_from_the_gateways_own_file(self, site, peer):
        volumes = [{"name": "mig-parted-config", "configMap": {"name": CONFIG_MAP}}]
        owned = {"spec": {"template": {"spec": {"volumes": volumes}}}}
        await peer.patch(f"{DAEMON_SETS}/nvidia-mig-manager", owned)
        halves = (ProfileCount(profile="3g.40gb", count=2),)
        await site.ask(MigLayout(cards=(CardLayout(devices=(0, 1), profiles=halves),)))
        await site.until("CORDONING")
        file = await peer.request("GET", f"{CONFIG_MAPS}/{CONFIG_MAP}")
        cuts = read_cuts(file["data"]["config.yaml"], 8)
        site.machine.manager._layouts = lambda: cuts

        observed = await site.converges()

        assert observed.converged
        assert await site.machine.offers() == {"nvidia.com/gpu": 6, "nvidia.com/mig-3g.40gb": 4}
        assert (await site.machine.node()).labels[MIG_CONFIG] in cuts.keys() - {"all-disabled"}

    @pytest.mark.parametrize("after", [False, True])
    async def test_it_converges_wherever_the_process_is_killed(self, make, peer, hands, after):
        for at in count(1):
            site, fuse = await make(), Fuse(at, after=after)
            pod = await self.work(site, peer)
            await site.ask(LAYOUT, (pod.id,))
            site.start(hands, fuse)
            with surviving():
                await site.converges()
            site.start(hands)
            observed = await site.converges()

            assert observed.converged, (at, observed)
            assert await site.machine.offers() == SEVENTHS
            assert not (await site.machine.node()).unschedulable
            if not fuse.burnt:
                break
        assert at > 12

    async def work(self, site, peer, **told):
        """A pod that holds a card of the node."""
        name = await peer.pod(site.machine.name, limits={"nvidia.com/gpu": "1"}, **told)
        return next(pod for pod in await site.machine.hands.pods(site.machine.name) if pod.name == name)
