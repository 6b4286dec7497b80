"""A writer that keeps the platform's records in memory: changes of nodes only, by the same rules."""

from collections.abc import Sequence
from dataclasses import replace

from gateway.errors import SourceError
from gateway.fleet.change import (
    AssignNode,
    NodeChange,
    Order,
    Outcome,
    PlannedChange,
    SetCordon,
    SetMigLayout,
    Written,
)
from gateway.fleet.desired import NodeDesired
from gateway.fleet.history import FieldChange, History, HistoryAsked, Writer
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.merge import RECORDS
from gateway.fleet.planned_node import generation_of, planned_node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.problem import Problem, ProblemCode, Refused
from tests.builders import NOON
from tests.fleets import FRESH
from tests.wishes import a_desired


class FakeWriter:
    """Writes into a keeper's records; `failure` is raised instead while there is one."""

    def __init__(self, keeper: FleetKeeper) -> None:
        self.failure: SourceError | None = None
        self.orders: list[Order] = []
        self.looked_up: list[Order] = []
        """Whose keys were asked for."""
        self.questions: list[int] = []
        """About how many nodes each question for history was."""
        self._keeper = keeper
        self._answers: dict[tuple[type, str], tuple[bytes, Written]] = {}
        self._history: list[tuple[str, FieldChange]] = []

    async def write(self, order: Order) -> Outcome:
        self._fail()
        self.orders.append(order)
        known = await self.repeated(order)
        return known or self._written(order)

    async def repeated(self, order: Order) -> Outcome | None:
        self._fail()
        self.looked_up.append(order)
        known = self._answers.get((type(order.change), order.once.key)) if order.once else None
        if known is None or order.once is None:
            return None
        same = known[0] == order.once.fingerprint
        return known[1] if same else Refused(code=ProblemCode.KEY_REUSED, message="it was used before")

    async def history(self, asked: Sequence[HistoryAsked]) -> Sequence[History]:
        self._fail()
        self.questions.append(len(asked))
        return [self._page(one) for one in asked]

    def _fail(self) -> None:
        if self.failure:
            raise self.failure

    def _written(self, order: Order) -> Outcome:
        change = order.change
        assert isinstance(change, NodeChange)
        records = self._keeper.pin().listings.platform
        held = records.nodes.get((change.cluster, change.node))
        plan = planned_node(change, held)
        if isinstance(plan, Problem):
            return plan
        written = Written(changes=plan, generation=generation_of(held) + bool(plan))
        if plan:
            record = _changed(change, held, written.generation or 0)
            nodes = {**records.nodes, (change.cluster, change.node): record}
            self._keeper.replace(RECORDS, {"records": replace(records, nodes=nodes)}, FRESH)
            for one in plan:
                self._history.append((change.node, self._remembered(order, one, written)))
        if order.once:
            self._answers[type(change), order.once.key] = (order.once.fingerprint, written)
        return written

    def _remembered(self, order: Order, one: PlannedChange, written: Written) -> FieldChange:
        return FieldChange(
            number=len(self._history),
            field=one.field,
            writer=Writer.API,
            actor=order.actor,
            before=one.before,
            after=one.after,
            at=NOON,
            generation=written.generation,
        )

    def _page(self, asked: HistoryAsked) -> History:
        every = [one for node, one in reversed(self._history) if node == asked.node]
        left = [one for one in every if asked.before is None or one.number < asked.before]
        return History(changes=tuple(left[: asked.limit]), total=len(every))


def _changed(change: NodeChange, held: NodeRecord | None, generation: int) -> NodeRecord:
    record = held or NodeRecord(
        cluster=change.cluster,
        name=change.node,
        target=None,
        tenant_name=None,
        claimed_cards=None,
        claimed_gpu_type=None,
    )
    wish = replace(record.desired or a_desired(), generation=generation)
    if isinstance(change, SetCordon | SetMigLayout):
        return replace(record, desired=_wish(change, wish))
    if isinstance(change, AssignNode):
        return replace(record, desired=wish, tenant_name=change.tenant, target=change.target)
    return replace(record, desired=wish, tenant_name=None, target=None)


def _wish(change: SetCordon | SetMigLayout, wish: NodeDesired) -> NodeDesired:
    if isinstance(change, SetCordon):
        reason = change.reason if change.cordoned else None
        return replace(wish, cordoned=change.cordoned, cordon_reason=reason)
    return replace(wish, mig_layout=change.layout, acknowledged=change.acknowledged)
