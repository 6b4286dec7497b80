"""The ledger of the reconciler's tests keeps the same promises as the database."""

import pytest

from gateway.fleet.desired import MigLayout
from gateway.fleet.platform import Target
from tests.contracts.node_ledger import Asks, NodeLedgerContract
from tests.fakes.ledger import FakeNodeLedger
from tests.fakes.time import FakeTime


class InMemory(Asks):
    def __init__(self, ledger):
        self._ledger = ledger

    async def layout(self, config, uid="uid-1", acknowledged=()):
        layout = MigLayout(config=config)
        wish = {"mig_layout": layout, "layout_uid": uid, "acknowledged": frozenset(acknowledged)}
        self._ledger.ask("gpu-01", **wish)

    async def cordon(self):
        self._ledger.ask("gpu-01", cordoned=True)

    async def again(self):
        self._ledger.ask("gpu-01")

    async def pause(self, *, paused):
        self._ledger.paused = paused

    async def serves_slurm(self):
        self._ledger.give("gpu-01", Target.SLURM)


class TestFakeLedger(NodeLedgerContract):
    @pytest.fixture
    def ledger(self):
        ledger = FakeNodeLedger(FakeTime())
        ledger.add("gpu-01")
        return ledger

    @pytest.fixture
    def asks(self, ledger):
        return InMemory(ledger)
