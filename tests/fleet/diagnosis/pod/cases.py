"""Pods that wait in small clusters, and what is found of them."""

from dataclasses import replace

import msgspec
from immutables import Map

from gateway.errors import System
from gateway.fleet.diagnosis.diagnosis import StepOutcome
from gateway.fleet.diagnosis.pod.case import case_of
from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.diagnosis.pod.plan import plan
from gateway.fleet.namespace import Namespace
from gateway.fleet.scheduling.verdict import judge
from gateway.fleet.scheduling.view import Refusal
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER
from tests.fleets import FRESH, a_keeper
from tests.gpu_labels import whole
from tests.recorded_scheduler import objects_of

GPU = "nvidia.com/gpu"
PASS, FAIL, WARN, UNKNOWN = StepOutcome.PASS, StepOutcome.FAIL, StepOutcome.WARN, StepOutcome.UNKNOWN


def diagnosed(ask, nodes, pods=(), **told):
    """What is found of a pod in a cluster of these."""
    return diagnose(ask, a_keeper(nodes, [*pods, ask], **told).pin())


def case(ask, nodes, pods=()):
    """What its checks are made on."""
    return case_of(ask, a_keeper(nodes, [*pods, ask]).pin())


def step(diagnosis, check):
    """The one step of this name."""
    (found,) = (one for one in diagnosis.steps if one.check.value == check)
    return found


def checks(diagnosis):
    """Each check with what came of it."""
    return {one.check.value: one.outcome for one in diagnosis.steps}


def told(found):
    """Evidence by path."""
    return {one.path: one.value for one in found.evidence}


def advice(found):
    """Remedies, as bots and as people read them."""
    return [(one.action.value, one.text) for one in found.remedies]


def machine(name, capacity, allocatable, labels=None):
    """A machine that is Ready; without more labels, they tell of eight H100."""
    has = {"cpu": "64", "memory": "512Gi", "pods": "50"}
    raw = {
        "metadata": {"name": name, "labels": {**whole(), **(labels or {})}},
        "status": {
            "capacity": {**has, **capacity},
            "allocatable": {**has, **allocatable},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    return read_node(CLUSTER, msgspec.Raw(msgspec.json.encode(raw)), [])


def recorded(fleet):
    """The pods of a recorded fleet by namespace and name, and the fleet as a request sees it."""
    pods = [read_pod(CLUSTER, raw, []) for raw in objects_of(fleet, "pods")]
    nodes = [read_node(CLUSTER, raw, []) for raw in objects_of(fleet, "nodes")]
    spaces = (msgspec.json.decode(raw)["metadata"] for raw in objects_of(fleet, "namespaces"))
    keeper = keeper_of(nodes, pods, {one["name"]: one.get("labels", {}) for one in spaces})
    return {(pod.namespace, pod.name): pod for pod in pods}, keeper.pin()


def keeper_of(nodes, pods, spaces):
    """A keeper that heard of namespaces too, by name with their labels."""
    keeper = a_keeper(nodes, pods)
    rows = {
        name: Namespace(
            cluster=CLUSTER, name=name, labels=Map({"kubernetes.io/metadata.name": name, **labels})
        )
        for name, labels in spaces.items()
    }
    keeper.replace(SourceKey(System.KUBERNETES, CLUSTER, "namespaces"), rows, FRESH)
    return keeper


def judge_again(case):
    """Try changes on every node that refuses, and hear after each what it says in the whole cluster."""
    for verdict in case.verdicts:
        way = plan(case, verdict.node) if verdict.fits is False else None
        for step in way.steps if way else ():
            candidates = {**case.view.candidates, way.node: step.cure.candidate}
            again = judge(step.cure.pod, way.node, replace(case.view, candidates=candidates))
            assert _reasons(again) == _reasons(step.then), (case.pod.name, way.node, step.cure.text)


def _reasons(judgement):
    return judgement.reasons if isinstance(judgement, Refusal) else judgement
