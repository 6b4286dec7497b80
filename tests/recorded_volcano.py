"""What the real schedulers of Volcano left behind, recorded, as a request sees it."""

import json
from pathlib import Path

import msgspec

from gateway.errors import System
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.events import read_event
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from gateway.sources.volcano.podgroups import read_pod_group
from gateway.sources.volcano.queues import read_queue
from tests.builders import CLUSTER
from tests.fleets import FRESH, a_keeper
from tests.scheduling import SCHEDULER, a_scheduler

RECORDINGS = Path(__file__).parent / "recordings" / "volcano"
EVENTS = SourceKey(System.KUBERNETES, CLUSTER, "events")


def recorded(name, config=None):
    """The fleet of a recording, under the release that wrote it; events and nodes as far as they are kept."""
    release = "v1.13.0" if name.startswith("v1130") else "v1.16.0-alpha.1"
    keeper = a_keeper(
        _rows(name, "nodes", read_node),
        _rows(name, "pods", read_pod),
        queues=_rows(name, "queues", read_queue),
        pod_groups=_rows(name, "podgroups", read_pod_group),
    )
    keeper.replace(SCHEDULER, {"scheduler": a_scheduler(release, config)}, FRESH)
    events = filter(None, _rows(name, "events", read_event))
    keeper.replace(EVENTS, {(one.about_namespace, one.uid): one for one in events}, FRESH)
    return keeper.pin()


def _rows(name, kind, read):
    file = RECORDINGS / f"{name}-{kind}.json"
    items = json.loads(file.read_text(encoding="utf-8"))["items"] if file.exists() else ()
    return [read(CLUSTER, msgspec.Raw(msgspec.json.encode(item)), []) for item in items]
