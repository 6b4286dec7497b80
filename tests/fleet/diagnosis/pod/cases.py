"""Pods that wait in small clusters, and what is found of them."""

from gateway.errors import System
from gateway.fleet.diagnosis.diagnosis import StepOutcome
from gateway.fleet.diagnosis.pod.case import case_of
from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.namespaces import read_namespace
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER
from tests.fleets import FRESH, a_keeper
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


def asks_for(**resources):
    """What a pod asks for, in names that Python can write: gpu, cpu."""
    return {GPU if name == "gpu" else name: amount for name, amount in resources.items()}


def recorded(fleet):
    """The pods of a recorded fleet by namespace and name, and the fleet as a request sees it."""
    pods = [read_pod(CLUSTER, raw, []) for raw in objects_of(fleet, "pods")]
    keeper = a_keeper([read_node(CLUSTER, raw, []) for raw in objects_of(fleet, "nodes")], pods)
    spaces = [read_namespace(CLUSTER, raw, []) for raw in objects_of(fleet, "namespaces")]
    keeper.replace(
        SourceKey(System.KUBERNETES, CLUSTER, "namespaces"), {one.name: one for one in spaces}, FRESH
    )
    return {(pod.namespace, pod.name): pod for pod in pods}, keeper.pin()
