"""The next step as a table: what is wished and seen, and what is claimed and done."""

import pytest

from gateway.controllers.node_reconciler.plan import plan
from gateway.controllers.node_reconciler.sight import Limits, Sight
from gateway.fleet.desired import MigLayout, NodeDesired, NodeObserved
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import LayoutsFile
from gateway.fleet.wish import Wish
from tests.builders import NOON
from tests.controllers.node_reconciler.plan_rows import NEW, OLD, ROWS


def step_of(row):
    layout = MigLayout(config=row.layout) if row.layout else None
    desired = NodeDesired(
        cordoned=row.cordoned,
        cordon_reason=None,
        mig_layout=layout,
        generation=3,
        layout_generation=3,
        layout_uid=row.uid,
        acknowledged=row.acknowledged,
        changed_at=NOON,
        changed_by="ada",
    )
    observed = row.observed and NodeObserved(
        phase=row.observed,
        generation=row.observed_at,
        layout_converged=row.converged,
        converged=False,
        message="as told",
        blockers=(),
        changed_at=NOON,
    )
    wish = Wish(
        cluster="fleet",
        node="gpu-01",
        target=row.target,
        desired=desired if row.desired else None,
        observed=observed,
        progress=row.progress,
    )
    sight = Sight(
        node=row.node,
        pods=row.pods,
        managers=row.managers,
        plugins=(row.plugin,),
        layouts=LayoutsFile(names=frozenset({OLD, NEW}), ours={}, is_ours=False, where="ConfigMap theirs"),
        aim=row.aim,
        others=row.others,
    )
    return plan(wish, sight, Limits(), NOON)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_next_step(row):
    step = step_of(row)

    if row.phase is None:
        assert step is None
        return
    assert (step.phase, step.act, step.verified, step.twice) == (row.phase, row.act, row.verified, row.twice)
    assert bool(step.blockers) == (row.phase is P.BLOCKED or step.message.startswith("what the node must"))


def test_a_plan_is_the_same_for_the_same():
    for row in ROWS.values():
        assert step_of(row) == step_of(row)
