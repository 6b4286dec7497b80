"""A cluster with a reconciler on it, all in memory, in a time that a test lets pass."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from gateway.controllers.agenda import EVERY
from gateway.controllers.leadership import Candidate, Leadership
from gateway.controllers.loop import Loop
from gateway.controllers.node_reconciler.reconciler import Reconciler
from gateway.controllers.node_reconciler.sight import Limits
from gateway.fleet.desired import MigLayout, NodeObserved, ReconcilePhase
from gateway.fleet.live import MIG_CONFIG, MIG_STATE, LayoutsFile
from gateway.fleet.mig import MIG_PREFIX
from tests.builders import CLUSTER, a_node, a_record, some_records
from tests.fakes.election import FakeElection
from tests.fakes.hands import FakeHands, FakeNode
from tests.fakes.killed import Fuse
from tests.fakes.ledger import FakeNodeLedger
from tests.fakes.mig_manager import FakeMigManager
from tests.fakes.time import FakeTime
from tests.fleets import FRESH, NEVER, NODES, PODS, SLURM_JOBS, SLURM_NODES, a_keeper
from tests.gpu_labels import GPU, mixed

WHOLE, SEVENTHS, HALVES = "all-disabled", "all-1g.10gb", "all-3g.40gb"
OFFERS: Mapping[str, Mapping[str, int]] = {
    WHOLE: {GPU: 2},
    SEVENTHS: {f"{MIG_PREFIX}1g.10gb": 14},
    HALVES: {f"{MIG_PREFIX}3g.40gb": 4},
}
"""What a node of two A100-80GB offers, by the configuration of its MIG manager."""
LABELS = mixed(2) | {MIG_CONFIG: WHOLE, MIG_STATE: "success"}


class Site:
    """Nodes of two A100-80GB, whole; a reconciler; and people who ask, which a test plays."""

    def __init__(self, *names: str, limits: Limits | None = None) -> None:
        self.time = FakeTime()
        self.hands = FakeHands(self.time)
        self.ledger = FakeNodeLedger(self.time)
        self.election = FakeElection()
        self.limits = limits or Limits()
        self.slurm_answers = True
        self.unseen: set[str] = set()
        """Nodes that the fleet does not hear of."""
        self.managers: dict[str, FakeMigManager] = {}
        self.names = names or ("gpu-01",)
        for name in self.names:
            self._add(name)
        self.hands.file = LayoutsFile(
            names=frozenset(OFFERS), ours={}, is_ours=False, where="ConfigMap gpu-operator/mig-config"
        )
        self.keeper = a_keeper(records=some_records([a_record(name) for name in self.names]), clock=self.time)
        self.tell_of_nodes()
        self.start()

    def tell_of_nodes(self) -> None:
        """Have the fleet hear of the nodes as they are now, and of all else that it is so."""
        fresh = FRESH.succeeded(self.time())
        slurm = fresh if self.slurm_answers else NEVER
        told = [
            replace(a_node(one.name, one.labels, one.allocatable, cordoned=one.unschedulable), uid=one.uid)
            for one in self.hands.nodes.values()
            if one.name not in self.unseen
        ]
        self.keeper.replace(NODES, {one.name: one for one in told}, fresh)
        self.keeper.touch(PODS, fresh)
        for key in (SLURM_NODES, SLURM_JOBS):
            self.keeper.touch(key, slurm)

    def start(self, fuse: Fuse | None = None) -> None:
        """Start the process, for the first time or again: it knows nothing of before."""
        hands = fuse.through(self.hands) if fuse else self.hands
        ledger = fuse.through(self.ledger) if fuse else self.ledger
        candidate = Candidate(cluster=CLUSTER, holder="pod-a", max_in_change=self.limits.max_in_change)
        self.reconciler = Reconciler(
            hands=hands,
            ledger=ledger,
            leadership=Leadership(candidate, self.election, ledger),
            limits=self.limits,
            clock=self.time,
            sleep=self._sleep,
        )
        self.loop = Loop(CLUSTER, self.reconciler, self.keeper.pin)

    def _add(self, name: str) -> None:
        self.hands.nodes[name] = FakeNode(
            name=name, uid=f"uid-{name}", labels=dict(LABELS), allocatable=dict(OFFERS[WHOLE])
        )
        self.hands.nodes[name].label_owners.add("gpu-operator")
        self.managers[name] = FakeMigManager(self.hands, name, OFFERS)
        self.ledger.add(name)

    @property
    def node(self) -> FakeNode:
        """The first node."""
        return self.hands.nodes[self.names[0]]

    @property
    def manager(self) -> FakeMigManager:
        """Its MIG manager."""
        return self.managers[self.names[0]]

    def ask(self, config: str | None = SEVENTHS, node: str = "", *, acknowledged: object = ()) -> int:
        """Ask for a layout, for the machine that has the name now."""
        name = node or self.names[0]
        layout = MigLayout(config=config) if config else None
        machine = self.hands.nodes.get(name)
        return self.ledger.ask(
            name,
            mig_layout=layout,
            layout_uid=machine.uid if machine and layout else None,
            acknowledged=frozenset(acknowledged),  # type: ignore[call-overload]  # ids
        )

    def observed(self, node: str = "") -> NodeObserved:
        """How far the reconciler says it is."""
        observed = self.ledger.wish(node or self.names[0]).observed
        assert observed is not None
        return observed

    async def passes(self, minutes: float = 3, every: float = EVERY.total_seconds()) -> None:
        """Let the loop go on for so long, with a turn each so many seconds."""
        end = self.time() + timedelta(minutes=minutes)
        while self.time() < end:
            await self._turn()
            await self.time.sleep(every)

    async def _turn(self) -> None:
        self.tell_of_nodes()
        await self.loop.turn()

    async def _sleep(self, seconds: float) -> None:
        await self.time.sleep(seconds)
        self.tell_of_nodes()

    async def runs(self) -> None:
        """Run the loop until the process is told to stop."""
        self._running = asyncio.ensure_future(self.loop.run())
        with suppress(asyncio.CancelledError):
            await self._running

    def stop(self) -> None:
        """Tell the process to stop."""
        self._running.cancel()

    async def until(self, phase: ReconcilePhase, minutes: float = 5) -> NodeObserved:
        """Go on until the first node is in this phase."""
        end = self.time() + timedelta(minutes=minutes)
        while self.time() < end:
            await self._turn()
            observed = self.ledger.wish(self.names[0]).observed
            if observed and observed.phase is phase:
                return observed
            await self.time.sleep(EVERY.total_seconds())
        raise AssertionError(f"not {phase} in {minutes} minutes: {self.observed()}")
