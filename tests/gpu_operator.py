"""A cluster whose GPUs the GPU operator makes usable, for tests that break one thing of it."""

# ruff: noqa: PLR0913 - one parameter for what each listing says

from collections.abc import Iterable, Mapping
from dataclasses import replace

from immutables import Map
from msgspec.json import encode

from gateway.errors import System
from gateway.fleet.container import ContainerState
from gateway.fleet.diagnosis.chain.chain import gpu_chain
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep
from gateway.fleet.event import EVENTS, Event
from gateway.fleet.fleet import Fleet
from gateway.fleet.namespace import Namespace
from gateway.fleet.node import KubernetesNode
from gateway.fleet.operand import OperandSet, operand_of
from gateway.fleet.platform import PlatformRecords
from gateway.fleet.pod import Pod
from gateway.fleet.runtime_class import RuntimeClass
from gateway.fleet.source import Contact, SourceKey
from gateway.fleet.unknown import Maybe
from gateway.sources.kubernetes.constraints import RawConstraints, read_constraints
from tests.builders import CLUSTER, NOON, a_node, a_pod
from tests.fleets import FRESH, a_keeper
from tests.gpu_labels import GPU, whole

OPERATOR = "gpu-operator"
PLUGIN = "nvidia-device-plugin-daemonset"
DISCOVERY = "gpu-feature-discovery"
DRIVER = "nvidia-driver-daemonset"
TOOLKIT = "nvidia-container-toolkit-daemonset"
VALIDATOR = "nvidia-operator-validator"
SETS = (DRIVER, TOOLKIT, PLUGIN, DISCOVERY, VALIDATOR)
ON_THE_BUS = "feature.node.kubernetes.io/pci-10de.present"
ENFORCE = "pod-security.kubernetes.io/enforce"
SWITCH = "nvidia.com/gpu.deploy.device-plugin"
LABELS = {
    ON_THE_BUS: "true",
    SWITCH: "true",
    "nvidia.com/gpu.present": "true",
    "nvidia.com/cuda.driver-version.full": "570.86.15",
}
"""What the operator and node-feature-discovery write beside gpu-feature-discovery."""
MACHINE = "gpu-01"


def labelled(*without: str, **changed: str) -> dict[str, str]:
    """The labels of a healthy machine, without some and with others, all by their whole keys."""
    return {key: value for key, value in (whole() | LABELS).items() if key not in without} | changed


def a_machine_with(*without: str, gives: int = 8, has: int = 8, **changed: str) -> KubernetesNode:
    """The machine with other labels, or that gives less than its eight cards."""
    return a_node(MACHINE, labelled(*without, **changed), {GPU: has}, {GPU: gives})


def container(name: str = "main", waiting: str | None = None, **told: object) -> ContainerState:
    """A container that runs, or waits for something."""
    state = {
        "is_init": False,
        "ready": waiting is None,
        "restarts": 0,
        "message": None,
        "exit_code": None,
    }
    return ContainerState(name=name, waiting=waiting, **(state | told))


def pod_of(daemon_set: str, *containers: ContainerState, phase: str = "Running") -> Pod:
    """The pod of a DaemonSet on the machine."""
    made = a_pod(f"{daemon_set}-x7k2p", MACHINE, {}, namespace=OPERATOR, phase=phase)
    return replace(made, controller=f"DaemonSet/{daemon_set}", containers=containers)


def pods_but(*without: str) -> list[Pod]:
    """A healthy pod of each DaemonSet, but for some."""
    return [pod_of(name, container()) for name in SETS if name not in without]


def a_set(name: str, **told: object) -> OperandSet:
    """A DaemonSet of the operator, which runs everywhere and takes hostPath volumes."""
    operand = operand_of(f"DaemonSet/{name}")
    assert operand is not None
    selector = Map(told.get("node_selector", {}))
    usual = {
        "runtime_class": None,
        "privileges": ("hostPath volumes",),
        "constraints": read_constraints(RawConstraints(node_selector=encode(dict(selector))), ()),
    }
    told |= {"node_selector": selector}
    return OperandSet(cluster=CLUSTER, namespace=OPERATOR, name=name, operand=operand, **(usual | told))


def a_namespace(name: str = OPERATOR, **labels: str) -> Namespace:
    """A namespace; without more, one in which nothing is enforced."""
    return Namespace(cluster=CLUSTER, name=name, labels=Map(labels))


def an_event(name: str, message: str, reason: str = "FailedCreate", kind: str = "DaemonSet") -> Event:
    """What was said of an object in the operator's namespace."""
    return Event(
        cluster=CLUSTER,
        uid=f"{name}-{reason}",
        about_kind=kind,
        about_namespace=OPERATOR,
        about_name=name,
        about_uid="1",
        reason=reason,
        message=message,
        reporter="daemonset-controller",
        count=3,
        first_seen=NOON,
        last_seen=NOON,
    )


def key_of(kind: str) -> SourceKey:
    """A listing of the cluster."""
    return SourceKey(System.KUBERNETES, CLUSTER, kind)


def a_site(
    node: KubernetesNode | None = None,
    pods: Iterable[Pod] | None = None,
    sets: Iterable[OperandSet] | None = None,
    *,
    namespaces: Iterable[Namespace] | None = None,
    classes: Iterable[str] = ("nvidia",),
    events: Iterable[Event] = (),
    records: PlatformRecords | None = None,
    contacts: Mapping[str, Contact] | None = None,
) -> Fleet:
    """A fleet of one machine with eight cards; without more, nothing is wrong with it."""
    running = pods_but() if pods is None else pods
    keeper = a_keeper([node or a_node(MACHINE, labelled())], running, records)
    made = [a_set(name, runtime_class="nvidia") for name in SETS] if sets is None else sets
    keeper.replace(key_of("operands"), {(one.namespace, one.name): one for one in made}, FRESH)
    spaces = [a_namespace()] if namespaces is None else namespaces
    keeper.replace(key_of("namespaces"), {one.name: one for one in spaces}, FRESH)
    found = {name: RuntimeClass(cluster=CLUSTER, name=name, handler=name) for name in classes}
    keeper.replace(key_of("runtimeclasses"), found, FRESH)
    keeper.replace(key_of(EVENTS), {one.uid: one for one in events}, FRESH)
    for kind, contact in (contacts or {}).items():
        keeper.touch(key_of(kind), contact)
    return keeper.pin()


def chain_of(fleet: Fleet, name: str = MACHINE) -> Maybe[list[DiagnosisStep]]:
    """The chain of its machine."""
    node = fleet.node(CLUSTER, name)
    assert node is not None
    return gpu_chain(node, fleet)


def step_of(fleet: Fleet, check: DiagnosisCheck) -> DiagnosisStep:
    """One link of the chain."""
    return next(step for step in chain_of(fleet) if step.check is check)


def evidence_of(step: DiagnosisStep) -> dict[str, str | None]:
    """What systems say, by where it stands."""
    return {one.path: one.value for one in step.evidence}


def outcomes(fleet: Fleet) -> dict[str, str]:
    """What came of each link, in order."""
    return {step.check.value: step.outcome.value for step in chain_of(fleet)}
