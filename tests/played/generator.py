"""Fleets and pods of many kinds, drawn from a seed, for a real scheduler and for the gateway to judge."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

Json = dict[str, Any]

NAMESPACES = {"a": {"tier": "gold"}, "b": {"tier": "tin"}}
PRIORITIES = {"low": 10, "mid": 100, "high": 1000}
"""No pod that asks is above one that runs: none is evicted, so every ask finds the same fleet."""
_LABELS: Mapping[str, Sequence[str]] = {
    "zone": ("x", "y", "z"),
    "kind": ("h100", "a100", "t4"),
    "memory": ("81920", "40960", "16Gi", "15360"),
    "rack": ("1", "2"),
}
_HOST = "kubernetes.io/hostname"
_PLACES = ("zone", "rack", _HOST)
_APPS = ("llm", "web", "db")
_DEVICES = ("nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "amd.com/gpu")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PINS = 2


class Generated(NamedTuple):
    """A fleet, and the pods that ask there one after the other."""

    nodes: list[Json]
    pods: list[Json]
    asks: list[Json]


def generate(seed: int, asks: int) -> Generated:
    """Draw a fleet; a third of the asks are as they are drawn, the others are pinned to a node each."""
    draw = _Draw(seed)
    names = [f"n{at}" for at in range(draw.one(2, 4, 6, 8))]
    tight = draw.chance(0.6)
    nodes = [_node(draw, name, tight=tight) for name in names]
    pods = [_running(draw, f"run-{at}", draw.one(*names)) for at in range(draw.one(1, 2, 3) * len(names))]
    drawn = (_ask(draw, f"ask-{at}", names, tight=tight) for at in range(asks))
    several = [pod for ask in drawn for pod in (ask, *_pinned(draw, ask, names))]
    return Generated(nodes=nodes, pods=pods, asks=several[:asks])


class _Draw:
    """Draws from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311  no secret

    def chance(self, share: float) -> bool:
        return self._random.random() < share

    def one(self, *values: Any) -> Any:
        return self._random.choice(values)

    def some(self, values: Sequence[Any], most: int = 2) -> list[Any]:
        return self._random.sample(values, self._random.randint(1, min(most, len(values))))


def _node(draw: _Draw, name: str, *, tight: bool) -> Json:
    labels = {key: draw.one(*values) for key, values in _LABELS.items() if draw.chance(0.85)}
    offers = {device: str(draw.one(0, 1, 2, 4, 8)) for device in _DEVICES if draw.chance(0.6)}
    room = {
        "cpu": draw.one("8", "3500m", "16"),
        "memory": draw.one("32Gi", "8Gi", "64000M"),
        "ephemeral-storage": "100Gi",
    }
    has = {**room, **offers, "pods": str(draw.one(3, 5, 10) if tight else 30)}
    return {
        "metadata": {"name": name, "labels": {_HOST: name, **labels}},
        "spec": {
            "unschedulable": draw.chance(0.07),
            "taints": [_taint(draw, key) for key in ("team", "gpu") if draw.chance(0.18)],
        },
        "status": {"allocatable": has, "capacity": has},
    }


def _taint(draw: _Draw, key: str) -> Json:
    value = {"value": draw.one("a", "b")} if draw.chance(0.6) else {}
    return {"key": key, **value, "effect": draw.one("NoSchedule", "NoExecute", "PreferNoSchedule")}


def _running(draw: _Draw, name: str, node: str) -> Json:
    pod = _pod(draw, name, _requests(draw, ("100m", "500m", "1500u"), (1, 2), tight=True))
    pod["spec"] |= {"nodeName": node, "priorityClassName": draw.one("mid", "high")}
    if draw.chance(0.06):
        pod["spec"]["affinity"] = {"podAntiAffinity": {_REQUIRED: _pod_terms(draw)}}
    if draw.chance(0.12):
        pod["metadata"]["finalizers"] = ["example.com/hold"]  # it stays, terminating
    return pod


def _ask(draw: _Draw, name: str, nodes: Sequence[str], *, tight: bool) -> Json:
    pod = _pod(draw, name, _requests(draw, ("500m", "2", "9"), (1, 2, 4), tight=tight))
    spec = pod["spec"]
    spec["priorityClassName"] = draw.one("low", "mid")
    if draw.chance(0.06):
        key = draw.one(*_LABELS)
        spec["nodeSelector"] = {key: draw.one(*_LABELS[key])}
    spec["affinity"] = dict(_affinity(draw, nodes))
    if draw.chance(0.5):
        spec["topologySpreadConstraints"] = [_spread(draw, place) for place in draw.some(_PLACES)]
    return pod


def _pod(draw: _Draw, name: str, requests: Json) -> Json:
    revision = {"rev": draw.one("1", "2")} if draw.chance(0.3) else {}
    container = {"name": "main", "image": "main", "resources": requests}
    if draw.chance(0.2):
        container["ports"] = [_port(draw)]
    return {
        "metadata": {
            "name": name,
            "namespace": draw.one(*NAMESPACES),
            "labels": {"app": draw.one(*_APPS), **revision},
        },
        "spec": {
            "containers": [container],
            "initContainers": [_init(draw)] if draw.chance(0.15) else [],
            "tolerations": list(_tolerations(draw)),
            "terminationGracePeriodSeconds": 0,
        },
    }


def _requests(draw: _Draw, cpus: Sequence[str], devices: Sequence[int], *, tight: bool) -> Json:
    if not tight and draw.chance(0.85):
        return {"requests": {"cpu": "10m"}}
    asks = {"cpu": draw.one(*cpus), "memory": draw.one("1Gi", "512Mi", "8Gi")}
    device = {draw.one(*_DEVICES): str(draw.one(*devices))} if draw.chance(0.6) else {}
    return {"requests": {**asks, **device}, "limits": device}


def _init(draw: _Draw) -> Json:
    sidecar = {"restartPolicy": "Always"} if draw.chance(0.5) else {}
    return {
        "name": "init",
        "image": "init",
        "resources": {"requests": {"cpu": draw.one("1", "3")}},
        **sidecar,
    }


def _port(draw: _Draw) -> Json:
    address = {"hostIP": draw.one("10.0.0.1", "10.0.0.2")} if draw.chance(0.4) else {}
    return {"containerPort": 80, "hostPort": draw.one(80, 81), "protocol": draw.one("TCP", "UDP"), **address}


def _tolerations(draw: _Draw) -> Iterator[Json]:
    for key in ("team", "gpu"):
        if draw.chance(0.5):
            exists = draw.chance(0.5)
            operator = {"operator": "Exists"} if exists else {"value": draw.one("a", "b", "")}
            yield {
                "key": key,
                **operator,
                **({"effect": draw.one("NoSchedule", "NoExecute")} if draw.chance(0.4) else {}),
            }
    if draw.chance(0.08):
        yield {"operator": "Exists"}
    if draw.chance(0.08):
        yield {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}


def _affinity(draw: _Draw, nodes: Sequence[str]) -> Iterator[tuple[str, Json]]:
    if draw.chance(0.2):
        terms = [_node_term(draw, nodes) for _ in range(draw.one(1, 2))]
        yield "nodeAffinity", {_REQUIRED: {"nodeSelectorTerms": terms}}
    if draw.chance(0.3):
        yield "podAffinity", {_REQUIRED: _pod_terms(draw)}
    if draw.chance(0.25):
        yield "podAntiAffinity", {_REQUIRED: _pod_terms(draw)}


def _node_term(draw: _Draw, nodes: Sequence[str]) -> Json:
    fields = [{"key": "metadata.name", "operator": draw.one("In", "NotIn"), "values": [draw.one(*nodes)]}]
    return {
        "matchExpressions": [_expression(draw) for _ in range(draw.one(0, 1, 1, 2))],
        "matchFields": fields if draw.chance(0.2) else [],
    }


def _expression(draw: _Draw) -> Json:
    operator = draw.one("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
    if operator in {"Gt", "Lt"}:
        return {"key": "memory", "operator": operator, "values": [draw.one("20000", "40960", "81920")]}
    key = draw.one(*_LABELS)
    values = {"values": draw.some(_LABELS[key])} if operator in {"In", "NotIn"} else {}
    return {"key": key, "operator": operator, **values}


def _pod_terms(draw: _Draw) -> list[Json]:
    return [_pod_term(draw) for _ in range(draw.one(1, 1, 2))]


def _pod_term(draw: _Draw) -> Json:
    term = {"topologyKey": draw.one(*_PLACES), "labelSelector": _selector(draw)}
    if draw.chance(0.4):
        term["namespaces"] = draw.some(tuple(NAMESPACES))
    if draw.chance(0.25):
        named = {"matchLabels": {"kubernetes.io/metadata.name": "b"}}
        term["namespaceSelector"] = draw.one({}, {"matchLabels": {"tier": "gold"}}, named)
    return term


def _selector(draw: _Draw) -> Json:
    listed = {"key": "app", "operator": draw.one("In", "NotIn"), "values": draw.some(_APPS)}
    there = {"key": "rev", "operator": draw.one("Exists", "DoesNotExist")}
    equal = {"matchLabels": {"app": draw.one(*_APPS)}}
    return draw.one(equal, equal, equal, {}, {"matchExpressions": [listed]}, {"matchExpressions": [there]})


def _spread(draw: _Draw, place: str) -> Json:
    rule = {"topologyKey": place, "maxSkew": draw.one(1, 1, 2), "labelSelector": _selector(draw)}
    if draw.chance(0.2):
        return {**rule, "whenUnsatisfiable": "ScheduleAnyway"}
    if draw.chance(0.3):
        rule["minDomains"] = draw.one(1, 2, 4)
    if draw.chance(0.3) and "matchLabels" in rule["labelSelector"]:
        rule["matchLabelKeys"] = ["rev"]
    policies = {
        "nodeAffinityPolicy": draw.one("Honor", "Ignore"),
        "nodeTaintsPolicy": draw.one("Honor", "Ignore"),
    }
    return {**rule, **(policies if draw.chance(0.7) else {}), "whenUnsatisfiable": "DoNotSchedule"}


def _pinned(draw: _Draw, ask: Json, nodes: Sequence[str]) -> Iterator[Json]:
    """Copies that may go to one node alone, so that the scheduler says what is wrong with it."""
    for node in draw.some(nodes, most=_PINS):
        pod = deepcopy(ask)
        pod["metadata"]["name"] += f"-{node}"
        anywhere = {_REQUIRED: {"nodeSelectorTerms": [{}]}}
        affinity = pod["spec"]["affinity"].setdefault("nodeAffinity", anywhere)
        for term in affinity[_REQUIRED]["nodeSelectorTerms"]:
            pin = {"key": "metadata.name", "operator": "In", "values": [node]}
            term["matchFields"] = [*term.get("matchFields", ()), pin]
        yield pod
