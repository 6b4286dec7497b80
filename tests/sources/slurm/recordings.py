"""The recorded answers of slurmrestd, for each version that is read.

v0.0.37, 41 and 44 were not recorded: what is read of them has the types of a neighbour, field by field.
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "recordings" / "slurm"

RELEASES = {38: "22.05", 40: "24.11", 42: "24.11", 43: "26.05", 45: "26.05"}
ALIKE = {37: 38, 41: 42, 44: 45}
VERSIONS = sorted({*RELEASES, *ALIKE})

ADDED = {
    37: {"jobs": ["container", "group_name", "prefer"]},
    41: {"jobs": ["priority_by_partition", "required_switches"], "pings": ["responding", "primary"]},
    44: {
        "jobs": ["container_type", "memory_update_delay", "memory_update_margin"],
        "nodes": ["suspend_time"],
        "pings": [],
    },
}
"""What the neighbour has and the version itself has not."""


def recording(version: int, what: str) -> bytes:
    """The answer to a question for `nodes`, `jobs` or `ping`."""
    if version in RELEASES:
        return (FOLDER / RELEASES[version] / f"v0.0.{version}-{what}.json").read_bytes()
    neighbour = ALIKE[version]
    answer = json.loads(recording(neighbour, what).replace(b"v0.0.%d" % neighbour, b"v0.0.%d" % version))
    key = "pings" if what == "ping" else what
    answer[key] = [_without(entry, ADDED[version].get(key, [])) for entry in answer[key]]
    if (version, what) == (44, "ping"):
        answer[key] = [{**entry, "pinged": "UP", "mode": "primary"} for entry in answer[key]]
    return json.dumps(answer).encode()


def bodies(*versions: int) -> dict[tuple[str, str], bytes]:
    """The answers of a slurmrestd that serves these versions."""
    return {
        (f"v0.0.{version}", what): recording(version, what)
        for version in versions
        for what in ("nodes", "jobs", "ping")
    }


def error(name: str) -> bytes:
    """The body of a failure, as it was recorded."""
    (file,) = FOLDER.glob(f"*/errors/{name}.body")
    return file.read_bytes()


def odd(name: str) -> bytes:
    """A recorded answer with one odd case in it."""
    return (FOLDER / "24.11" / f"v0.0.42-{name}.json").read_bytes()


def _without(entry: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in fields}
