"""A node that a reconciler works on through an API server and a real database, in a time of its own."""

from dataclasses import dataclass
from typing import Any

from gateway.controllers.leadership import Candidate, Leadership
from gateway.controllers.loop import Loop
from gateway.controllers.node_reconciler.reconciler import Reconciler
from gateway.controllers.node_reconciler.sight import Limits
from gateway.fleet.clock import utc_now
from gateway.fleet.desired import MigLayout
from gateway.fleet.ports import NodeHands, NodeLedger
from gateway.sources.postgres.ledger import PostgresNodeLedger
from gateway.sources.postgres.node_rows import to_json
from tests.builders import CLUSTER, a_node, a_record, some_records
from tests.contracts.mig_manager import Machine
from tests.fakes.election import FakeElection
from tests.fakes.killed import Fuse
from tests.fakes.time import FakeTime
from tests.fleets import FRESH, NODES, PODS, SLURM_JOBS, SLURM_NODES, a_keeper
from tests.sources.postgres.as_writer import API, RECONCILER, dsn_of, session_of

SEVENTHS = {"nvidia.com/mig-1g.10gb": 56}
"""What eight A100-80GB offer under all-1g.10gb."""


@dataclass
class Reconciled:
    """The node, what is asked of it, and a process that carries it out."""

    machine: Machine
    peer: Any
    dsn: str

    def __post_init__(self) -> None:
        self.time = FakeTime(utc_now())
        self.ledger = PostgresNodeLedger(lambda: dsn_of(RECONCILER, self.dsn))
        self.keeper = a_keeper(records=some_records([a_record(self.machine.name)]), clock=self.time)
        self.phases: list[str] = []

    async def begin(self) -> None:
        """Write the node down, and start the process."""
        async with session_of(API, self.dsn) as session:
            await session.execute(
                "INSERT INTO node_record (cluster, name, target) VALUES ('fleet', $1, 'KUBERNETES')",
                self.machine.name,
            )
        self.start(self.machine.hands)

    def start(self, hands: NodeHands, fuse: Fuse | None = None) -> None:
        """Start the process, which knows nothing of an earlier one."""
        ledger: NodeLedger = fuse.through(self.ledger) if fuse else self.ledger
        candidate = Candidate(cluster=CLUSTER, holder="pod-a", max_in_change=1)
        reconciler = Reconciler(
            hands=fuse.through(hands) if fuse else hands,
            ledger=ledger,
            leadership=Leadership(candidate, FakeElection(), ledger),
            limits=Limits(),
            clock=self.time,
            sleep=self.passes,
        )
        self.loop = Loop(CLUSTER, reconciler, self.keeper.pin)

    async def passes(self, seconds: float) -> None:
        """Let time pass, and the programs of the node go on by a step."""
        await self.time.sleep(seconds)
        await self.machine.step()

    async def ask(self, layout: MigLayout, acknowledged: tuple[str, ...] = ()) -> None:
        """Ask for a layout as the API does."""
        node = await self.machine.node()
        async with session_of(API, self.dsn) as session:
            await session.execute(
                "UPDATE node_record SET desired_layout = $2::text::jsonb, desired_uid = $3,"
                " desired_acknowledged = $4 WHERE name = $1",
                self.machine.name,
                to_json(layout),
                node.uid,
                list(acknowledged),
            )

    async def turns(self, count: int = 20, every: float = 5) -> Any:
        """Go on for some turns; how far the node is then."""
        observed = None
        for _ in range(count):
            await self.passes(every)
            await self._tell()
            await self.loop.turn()
            observed = (await self.wish()).observed
            if observed and self.phases[-1:] != [observed.phase.value]:
                self.phases.append(observed.phase.value)
        return observed

    async def converges(self, most: int = 40) -> Any:
        """Go on until the node is as it was asked, or for so many turns; how far it is then."""
        for _ in range(most):
            observed = await self.turns(1)
            if observed and observed.converged:
                break
        return observed

    async def until(self, phase: str, most: int = 30) -> None:
        """Go on until the node is in this phase."""
        for _ in range(most):
            observed = await self.turns(1)
            if observed and observed.phase.value == phase:
                return
        raise AssertionError(f"not {phase} after {most} turns: {observed}")

    async def wish(self) -> Any:
        """The node's record as the reconciler reads it."""
        return next(one for one in await self.ledger.wishes(CLUSTER) if one.node == self.machine.name)

    async def _tell(self) -> None:
        """Have the fleet hear of the node as it is now, and that all else is fresh."""
        fresh, node = FRESH.succeeded(self.time()), await self.machine.node()
        told = [a_node(node.name, node.labels, node.gpu_capacity, node.gpu_allocatable)] if node else []
        self.keeper.replace(NODES, {one.name: one for one in told}, fresh)
        for key in (PODS, SLURM_NODES, SLURM_JOBS):
            self.keeper.touch(key, fresh)
