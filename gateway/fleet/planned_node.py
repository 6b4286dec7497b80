"""What a change of a node alters of its record, or why it may not: a dry run and the write say the same."""

from gateway.fleet.change import AssignNode, NodeChange, PlannedChange, ReleaseNode, SetCordon, SetMigLayout
from gateway.fleet.desired import RESTING, NodeDesired, NodeObserved, ReconcilePhase
from gateway.fleet.planned import Plan, altered, conflict
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.problem import ProblemCode, Refused

AGAIN = "desired.generation"
"""What alone changes where the same is asked again, as another try."""
_GIVEN_UP = frozenset({ReconcilePhase.BLOCKED, ReconcilePhase.FAILED})


def planned_node(change: NodeChange, held: NodeRecord | None) -> Plan:
    """What a change of a node alters of its record; None: there is no record."""
    moved = conflict(change.if_generation, generation_of(held), named(change))
    if moved:
        return moved
    if isinstance(change, AssignNode):
        return _assigned(change, held)
    if isinstance(change, ReleaseNode):
        return _reassigned(change, held, (None, None)) if held else ()
    if held is None:
        return _no_record(change)
    return _wrong_target(change, held) or _wished(change, held)


def generation_of(held: NodeRecord | None) -> int:
    """In which generation a node's wish is; 0: nobody asked for anything."""
    return held.desired.generation if held and isinstance(held.desired, NodeDesired) else 0


def _assigned(change: AssignNode, held: NodeRecord | None) -> Plan:
    if held is None or held.tenant_name is None:
        return _reassigned(change, held, (change.target, change.tenant))
    if held.tenant_name != change.tenant:
        message = f"{named(change)} is held by tenant {held.tenant_name}: have it released first"
        return Refused(code=ProblemCode.FOREIGN_OWNER, message=message, path=("node",))
    if held.target is not change.target:
        serves = held.target.value if held.target else "nothing"
        message = f"{named(change)} serves {serves} for {change.tenant}: release it first"
        return Refused(code=ProblemCode.WRONG_TARGET, message=message, path=("target",))
    return ()


def _reassigned(
    change: AssignNode | ReleaseNode, held: NodeRecord | None, to: tuple[Target | None, str | None]
) -> Plan:
    """Another target and tenant, which no node gets in the midst of a change."""
    target, tenant = to
    changes = altered(
        ("target", held.target if held else None, target),
        ("tenant", held.tenant_name if held else None, tenant),
    )
    observed = held.observed if held else None
    if changes and isinstance(observed, NodeObserved) and observed.phase not in RESTING:
        return in_progress(change)
    return changes


def in_progress(change: NodeChange) -> Refused:
    """What to answer while the reconciler is at work on the node."""
    return Refused(
        code=ProblemCode.OTHER,
        message=f"{named(change)} is in the midst of a change: wait until it has converged or given up",
        path=("node",),
        retryable=True,
    )


def _wished(change: SetCordon | SetMigLayout, held: NodeRecord) -> Plan:
    """Another wish; the same one again is another try where the last was given up."""
    desired = held.desired if isinstance(held.desired, NodeDesired) else None
    changes = _cordoned(change, desired) if isinstance(change, SetCordon) else _cut(change, desired)
    observed = held.observed
    if changes or not (desired and isinstance(observed, NodeObserved)):
        return changes
    if observed.phase not in _GIVEN_UP or observed.generation != desired.generation:
        return ()
    # Who has nothing against new work does not ask for the cards to be cut.
    if isinstance(change, SetCordon) and not change.cordoned and desired.mig_layout:
        return ()
    return altered((AGAIN, desired.generation, desired.generation + 1))


def _cordoned(change: SetCordon, held: NodeDesired | None) -> tuple[PlannedChange, ...]:
    reason = change.reason if change.cordoned else None
    return altered(
        ("desired.cordoned", held.cordoned if held else False, change.cordoned),
        ("desired.cordonReason", held.cordon_reason if held else None, reason),
    )


def _cut(change: SetMigLayout, held: NodeDesired | None) -> tuple[PlannedChange, ...]:
    return altered(
        ("desired.migLayout", held.mig_layout if held else None, change.layout),
        ("desired.nodeUid", held.layout_uid if held else None, change.node_uid if change.layout else None),
        (
            "desired.acknowledgedWorkloads",
            sorted(held.acknowledged) if held else [],
            sorted(change.acknowledged) if change.layout else [],
        ),
    )


def _no_record(change: NodeChange) -> Refused:
    return Refused(
        code=ProblemCode.NO_RECORD,
        message=f"{named(change)} has no record of the platform: assign it to a tenant first",
        path=("node",),
    )


def _wrong_target(change: SetCordon | SetMigLayout, held: NodeRecord) -> Refused | None:
    """Only on nodes that serve Kubernetes a wish is carried out; one may be withdrawn anywhere."""
    withdraws = not change.cordoned if isinstance(change, SetCordon) else change.layout is None
    if withdraws or held.target is Target.KUBERNETES:
        return None
    serves = "Slurm, where the gateway changes nothing yet" if held.target else "no scheduler now"
    return Refused(
        code=ProblemCode.WRONG_TARGET,
        message=f"{named(change)} serves {serves}: assign it for KUBERNETES first",
        path=("node",),
    )


def named(change: NodeChange) -> str:
    """The node, as people name it."""
    return f"node {change.cluster}/{change.node}"
