"""The worked examples of docs/accounting.md: a small fleet, a query, the answer."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml

from gateway.controllers.alert_keeper import AlertKeeper
from gateway.errors import System
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.pod import Pod
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import (
    CLUSTER,
    NOON,
    a_job,
    a_node,
    a_pod_group,
    a_price,
    a_queue,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleets import ABSENT, FRESH, NEVER, a_keeper
from tests.listed import a_claim, a_gpu, a_part, a_slice
from tests.platform_rows import asked_records
from tests.quotas import a_quota, with_quotas
from tests.scheduling import SCHEDULER, a_scheduler

PAGE = Path(__file__).parents[1] / "docs" / "accounting.md"
_RULE = re.compile(r"^### (.+)$", re.MULTILINE)
_EXAMPLE = re.compile(
    r"```yaml\n(?P<fleet>.*?)```\n```graphql\n(?P<query>.*?)```\n```json\n(?P<answer>.*?)```", re.DOTALL
)
Described = Mapping[str, Any]


class Example(NamedTuple):
    """What is there, what is asked, and what is answered."""

    fleet: Described
    query: str
    answer: Any


def rules() -> dict[str, list[Example]]:
    """The rules of the page in their order, each with its examples."""
    parts = _RULE.split(PAGE.read_text(encoding="utf-8"))[1:]
    return {rule: list(_examples(text)) for rule, text in zip(parts[::2], parts[1::2], strict=True)}


def keeper_of(fleet: Described) -> FleetKeeper:
    """What the systems of an example tell."""
    nodes = [a_node(name, **_node(told)) for name, told in fleet.get("nodes", {}).items()]
    asked = asked_records(fleet.get("records", {}), fleet.get("controllers", {}))
    records = some_records(
        asked.nodes.values(),
        [_workspace(**told) for told in fleet.get("workspaces", ())],
        {kind: [a_price(**told)] for kind, told in fleet.get("prices", {}).items()},
    )
    records = replace(records, controllers=asked.controllers)
    keeper = a_keeper(
        nodes,
        [_pod(f"pod-{at}", told) for at, told in enumerate(fleet.get("pods", ()))],
        records,
        slurm_nodes=[a_slurm_node(name, **told) for name, told in fleet.get("slurm", {}).items()],
        jobs=[a_job(str(at), **told) for at, told in enumerate(fleet.get("jobs", ()), 1)],
        queues=[a_queue(name, **told) for name, told in fleet.get("queues", {}).items()],
        pod_groups=[a_pod_group(**told) for told in fleet.get("podGroups", ())],
    )
    if "scheduler" in fleet:
        keeper.replace(SCHEDULER, {"scheduler": a_scheduler(fleet["scheduler"])}, FRESH)
    if "quotas" in fleet:
        with_quotas(keeper, [a_quota(told["hard"], told.get("used")) for told in fleet["quotas"]])
    for name, told in fleet.get("listed", {}).items():
        _list_devices(keeper, name, **told)
    _contacts(keeper, fleet)
    AlertKeeper(keeper).look_once()
    return keeper


def _examples(text: str) -> Iterator[Example]:
    for found in _EXAMPLE.finditer(text):
        yield Example(yaml.safe_load(found["fleet"]), found["query"], json.loads(found["answer"]))


def _node(told: Described) -> dict[str, Any]:
    labels = told.get("labels")
    named = (
        {"labels": {f"nvidia.com/{key}": text for key, text in labels.items()}} if labels is not None else {}
    )
    return {**told, **named}


def _workspace(name: str = "training", allocations: Mapping[str, int] | None = None, **told: Any) -> Any:
    return a_workspace(name, allocations, **told)


def _pod(uid: str, told: Described) -> Pod:
    asks = told.get("asks", {"nvidia.com/gpu": 1})
    requests = {"requests": {key: str(count) for key, count in asks.items()}}
    written = {
        "metadata": {
            "name": told.get("name", uid),
            "namespace": told.get("namespace", "default"),
            "uid": uid,
            "ownerReferences": [_owner(told["owner"])] if "owner" in told else [],
            "annotations": {"scheduling.k8s.io/group-name": told["group"]} if "group" in told else {},
        },
        "spec": {"nodeName": told.get("node"), "containers": [{"resources": requests}]},
        "status": {"phase": told.get("phase", "Running"), **_turned_down(told), **_crashes(told)},
    }
    return read_pod(CLUSTER, msgspec.Raw(msgspec.json.encode(written)), [])


def _turned_down(told: Described) -> Described:
    if "waits" not in told:
        return {}
    since = NOON.isoformat()
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return {"conditions": [{**condition, "message": told["waits"], "lastTransitionTime": since}]}


def _crashes(told: Described) -> Described:
    if "crashes" not in told:
        return {}
    state = {"waiting": {"reason": "CrashLoopBackOff"}}
    return {"containerStatuses": [{"name": "main", "restartCount": told["crashes"], "state": state}]}


def _list_devices(keeper: FleetKeeper, node: str, cards: int, parts: int, given: Iterable[str]) -> None:
    devices = [*(a_gpu(at) for at in range(cards)), *(a_part(cards, at) for at in range(parts))]
    listed, claim = a_slice(node, devices), a_claim("claim", *given, node=node)
    keeper.change(_key("kubernetes/fleet/resourceslices"), {listed.name: listed}, FRESH)
    keeper.change(_key("kubernetes/fleet/resourceclaims"), {("default", "claim"): claim}, FRESH)


def _owner(text: str) -> Described:
    kind, _, name = text.partition("/")
    return {"kind": kind, "name": name, "controller": True}


def _contacts(keeper: FleetKeeper, fleet: Described) -> None:
    for name in fleet.get("silent", ()):
        keeper.touch(_key(name), NEVER)
    for name in fleet.get("absent", ()):
        keeper.touch(_key(name), ABSENT)
    for name, minutes in fleet.get("heard", {}).items():
        keeper.touch(_key(name), FRESH.succeeded(NOON - timedelta(minutes=minutes)))


def _key(name: str) -> SourceKey:
    system, place, kind = name.split("/")
    return SourceKey(System(system.upper()), place, kind)
