"""Machines and changes of them, for tests of judgements."""

from dataclasses import replace

from gateway.fleet.change import SetMigLayout
from gateway.fleet.desired import (
    CardLayout,
    MigLayout,
    NodeDesired,
    NodeObserved,
    ProfileCount,
    ReconcilePhase,
)
from gateway.fleet.platform import NodeRecord
from tests.builders import CLUSTER, NOON, a_record

GPU_01 = {"cluster": CLUSTER, "node": "gpu-01"}


def a_wish(record: NodeRecord | None = None, *, cordoned=False, layout=None, acknowledged=(), uid=None):
    """A record of which something was asked."""
    desired = NodeDesired(
        cordoned=cordoned,
        cordon_reason=None,
        mig_layout=layout,
        generation=4,
        layout_generation=4,
        layout_uid=uid,
        acknowledged=frozenset(acknowledged),
        changed_at=NOON,
        changed_by="ada",
    )
    return replace(record or a_record(), desired=desired)


def in_progress(record: NodeRecord):
    """The same while the reconciler is at work on it."""
    observed = NodeObserved(
        phase=ReconcilePhase.DRAINING,
        generation=4,
        layout_converged=0,
        converged=False,
        message="",
        blockers=(),
        changed_at=NOON,
    )
    return replace(record, observed=observed)


def by_cards(*cards):
    """A layout card by card: (devices, {profile: count}) each."""
    return MigLayout(
        cards=tuple(
            CardLayout(
                devices=devices,
                profiles=tuple(ProfileCount(profile=name, count=count) for name, count in cut.items()),
            )
            for devices, cut in cards
        )
    )


def to_cut(layout, acknowledged=()):
    """A change of the layout of gpu-01."""
    return SetMigLayout(**GPU_01, layout=layout, acknowledged=frozenset(acknowledged))


def told(judgement):
    """What is against a change: its code, where, and in words."""
    problem = judgement.problem
    return problem and (problem.code.value, problem.path, problem.message)
