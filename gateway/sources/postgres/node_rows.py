"""What a row of node_record says: what is desired of a node, how far that is, and its reported health."""

import enum
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import msgspec

from gateway.fleet.desired import BlockCause, Blocker, MigLayout, NodeDesired, NodeObserved, ReconcilePhase
from gateway.fleet.health_reason import HealthCode, HealthReason, ReportedHealth
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.unknown import Unknown
from gateway.fleet.wish import Progress, Wish

Row: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


class UnreadableRow(Exception):
    """A row that cannot be used, and which column is why."""

    def __init__(self, column: str, raw: str, text: str = "is not in a form that this release reads") -> None:
        super().__init__(f"{column}: {raw:.60} {text}")
        self.column = column
        self.raw = raw
        self.text = text


def read_node(row: Row) -> NodeRecord:
    """The record of a node, or UnreadableRow."""
    return replace(
        read_holder(row, None),
        desired=_desired(row),
        observed=_observed(row),
        reported_health=_reported_health(row),
    )


def read_holder(row: Row, unread: Unknown | None) -> NodeRecord:
    """Who holds a node, or UnreadableRow; `unread` says why nobody can tell what is desired of it."""
    return NodeRecord(
        cluster=row["cluster"],
        name=row["name"],
        target=_target(row),
        tenant_name=row["tenant_id"],
        claimed_cards=row["claimed_cards"],
        claimed_gpu_type=row["claimed_gpu_type"],
        desired=unread,
        observed=unread,
        reported_health=unread,
    )


def read_wish(row: Row) -> Wish:
    """The same as the reconciler needs it, or UnreadableRow."""
    return Wish(
        cluster=row["cluster"],
        node=row["name"],
        target=_target(row),
        desired=_desired(row),
        observed=_observed(row),
        progress=read_progress(row),
    )


def read_progress(row: Row) -> Progress:
    """What the change must remember, or UnreadableRow."""
    return _json(row, "observed_progress", Progress) or Progress()


def to_json(value: object) -> str:
    """A value for a jsonb column."""
    return msgspec.json.encode(value).decode().replace("\\u0000", "\\ufffd")


def to_text(said: str) -> str:
    """A system's words for a text column: PostgreSQL takes every character but one."""
    return said.replace("\0", "\ufffd")


def _target(row: Row) -> Target | None:
    name = row["target"]
    if name is not None and name not in Target.__members__:
        raise UnreadableRow("target", name, "is no target")
    return Target[name] if name else None


def _desired(row: Row) -> NodeDesired | None:
    if not row["desired_generation"]:
        return None
    return NodeDesired(
        cordoned=row["desired_cordoned"],
        cordon_reason=row["desired_cordon_reason"],
        mig_layout=_json(row, "desired_layout", MigLayout),
        generation=row["desired_generation"],
        layout_generation=row["layout_generation"],
        layout_uid=row["desired_uid"],
        acknowledged=frozenset(row["desired_acknowledged"]),
        changed_at=row["desired_changed_at"],
        changed_by=row["desired_changed_by"],
        retried=row["desired_retried"] or 0,
    )


def _observed(row: Row) -> NodeObserved | None:
    if row["observed_phase"] is None:
        return None
    phase = ReconcilePhase.__members__.get(row["observed_phase"], ReconcilePhase.OTHER)
    generation = row["observed_generation"]
    return NodeObserved(
        phase=phase,
        generation=generation,
        layout_converged=row["observed_layout_converged"],
        converged=phase is ReconcilePhase.CONVERGED and generation == row["desired_generation"],
        message=row["observed_message"],
        blockers=_each(row, "observed_blockers", Blocker, cause=BlockCause),
        changed_at=row["observed_changed_at"],
    )


def _reported_health(row: Row) -> ReportedHealth | None:
    if row["health_healthy"] is None:
        return None
    return ReportedHealth(
        healthy=row["health_healthy"],
        reasons=_each(row, "health_reasons", HealthReason, code=HealthCode),
        checked_at=row["health_checked_at"],
    )


def _each(row: Row, column: str, kind: type[T], **words: type[enum.Enum]) -> tuple[T, ...]:
    """The items of a list; a word that only a later release knows is OTHER."""
    items = _json(row, column, list[dict[str, Any]]) or []
    for key, known in words.items():
        items = [
            {**item, key: item[key] if item.get(key) in known.__members__ else "OTHER"} for item in items
        ]
    try:
        return msgspec.convert(items, tuple[kind, ...])  # type: ignore[valid-type]  # a class
    except msgspec.ValidationError:
        raise UnreadableRow(column, row[column]) from None


def _json(row: Row, column: str, kind: type[T]) -> T | None:
    if row[column] is None:
        return None
    try:
        return msgspec.json.decode(row[column], type=kind)
    except msgspec.DecodeError:
        raise UnreadableRow(column, row[column]) from None
