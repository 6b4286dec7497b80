"""Rows of the platform's database as tests describe them, read as the production gateway reads them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gateway.fleet.platform import PlatformRecords
from gateway.sources.postgres.snapshot import TABLES, read_tables
from tests.builders import CLUSTER, NOON

Described = Mapping[str, Any]


def asked_records(nodes: Mapping[str, Described], controllers: Mapping[str, Described]) -> PlatformRecords:
    """Records of nodes by name, with what is desired and observed of them, and the controllers."""
    rows = {
        "node_record": [_node_row(name, **told) for name, told in nodes.items()],
        "controller": [_controller_row(name, **told) for name, told in controllers.items()],
    }
    snapshot = read_tables({**dict.fromkeys(TABLES, ()), **rows})
    assert snapshot.skipped == []
    return snapshot.records


def _node_row(
    name: str,
    target: str,
    tenant: str | None = None,
    desired: Described | None = None,
    observed: Described | None = None,
) -> Described:
    wish, found = desired or {}, observed or {}
    return {
        "cluster": CLUSTER,
        "name": name,
        "target": target,
        "tenant_id": tenant,
        "claimed_cards": None,
        "claimed_gpu_type": None,
        "desired_cordoned": wish.get("cordoned", False),
        "desired_cordon_reason": None,
        "desired_layout": _json(wish.get("layout")),
        "desired_uid": None,
        "desired_acknowledged": [],
        "desired_retried": None,
        "desired_generation": wish.get("generation", 0),
        "layout_generation": 0,
        "desired_changed_at": NOON,
        "desired_changed_by": "ada",
        "observed_phase": found.get("phase"),
        "observed_generation": found.get("generation"),
        "observed_layout_converged": 0,
        "observed_message": "",
        "observed_blockers": None,
        "observed_progress": None,
        "observed_changed_at": NOON,
        "health_healthy": None,
    }


def _controller_row(name: str, **told: Any) -> Described:
    return {"name": name, "max_in_change": 1, "paused_by": None, "paused_reason": None, **told}


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
