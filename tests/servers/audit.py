"""What the gateway's accounts asked of an API server, and whether they might, as its audit tells."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

AUDITED = "system:serviceaccounts:gpu-gateway"
"""The group of every account of the namespace."""


def audit_flags(folder: Path, log: Path) -> Sequence[str]:
    """The flags by which an API server writes down what these accounts ask."""
    rules = [
        {"level": "Metadata", "userGroups": [AUDITED], "omitStages": ["RequestReceived"]},
        {"level": "None"},
    ]
    policy = folder / "audit.json"
    policy.write_text(json.dumps({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules}))
    return f"--audit-policy-file={policy}", f"--audit-log-path={log}", "--audit-log-mode=blocking-strict"


def asked_by(user: str, log: Path) -> list[dict[str, Any]]:
    """All that was ever asked as this user."""
    events = map(json.loads, log.read_text().splitlines()) if log.exists() else ()
    return [event for event in events if event["user"]["username"] == user]


def refused(requests: Sequence[dict[str, Any]]) -> list[str]:
    """Those of the requests that access rules did not let pass."""
    told = "authorization.k8s.io/decision"
    return [f"{one['verb']} {one['requestURI']}" for one in requests if one["annotations"][told] != "allow"]
