"""RUNTIME: whether containers are given what they need to see the cards."""

from collections.abc import Mapping

from gateway.fleet.diagnosis.chain.link import Link, broken, passed, untold
from gateway.fleet.diagnosis.chain.troubled import stuck_at, troubled
from gateway.fleet.diagnosis.chain.vendor import NVIDIA
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.event import NO_SANDBOX
from gateway.fleet.operand import OPERANDS, Operand, OperandSet
from gateway.fleet.operand_pods import trouble_of, troubles
from gateway.fleet.pod import Pod
from gateway.fleet.runtime_class import RUNTIME_CLASSES
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_SEE = "get runtimeclasses"


def runtime(view: ChainView) -> Link | None:
    """Judge the container runtime; other vendors need nothing of it."""
    if view.vendor is not NVIDIA:
        return None
    return _by_class(view) or _by_pods(view) or _by_what_runs(view)


def _by_class(view: ChainView) -> Link | None:
    sets = view.sets(*Operand)
    classes = view.fleet.runtime_classes(view.node.cluster)
    if silent := first_unknown(sets, classes):
        return untold(silent, _SEE)
    if not isinstance(sets, list) or not isinstance(classes, Mapping):
        return None
    there = {one.name for one in classes.values()}
    lacking = (one for one in sets if one.runtime_class and view.wants(one))
    return next((_missing(view, one) for one in lacking if one.runtime_class not in there), None)


def _missing(view: ChainView, one: OperandSet) -> Link:
    said = (
        f"{one.where} asks for the runtime class {one.runtime_class}, and the cluster has none of that name"
    )
    asked = f"daemonsets/{one.namespace}/{one.name} spec.template.spec.runtimeClassName"
    told = (
        view.told(asked, one.runtime_class, OPERANDS),
        view.told(f"{RUNTIME_CLASSES}/{one.runtime_class}", None, RUNTIME_CLASSES),
    )
    text = f"make the RuntimeClass {one.runtime_class}: the GPU operator does, where it is installed"
    return broken(said, _SEE, told, view.repair(text))


def _by_pods(view: ChainView) -> Link | None:
    pods = view.pods(Operand.TOOLKIT)
    if isinstance(pods, Unknown):
        return untold(pods, view.its_pods)
    if found := next(troubles(pods), None):
        return troubled(view, found, "container toolkit")
    others = view.pods(*Operand)
    if isinstance(others, Unknown):
        return None
    stuck = stuck_at(others, "toolkit-validation")
    return troubled(view, stuck, "container toolkit") if stuck else _by_sandboxes(view, others)


def _by_sandboxes(view: ChainView, pods: list[Pod]) -> Link | None:
    """Read what the kubelet says of pods that it cannot begin to start."""
    waiting = (found.pod for found in troubles(pods))
    events = (view.event(NO_SANDBOX, "Pod", pod.namespace, pod.name) for pod in waiting)
    event = next((one for one in events if one), None)
    if event is None:
        return None
    pod = f"{event.about_namespace}/{event.about_name}"
    said = f"the container runtime of {view.name} cannot start pod {pod}: {event.message}"
    text = "have the container toolkit set up the runtime, or restart it after that was done"
    see = f"-n {event.about_namespace} describe pod {event.about_name}"
    return broken(said, see, (view.said(event),), view.repair(text))


def _by_what_runs(view: ChainView) -> Link:
    see = f"get node {view.name} -o wide"
    told = view.told(
        f"nodes/{view.name} status.nodeInfo.containerRuntimeVersion", view.part.container_runtime
    )
    runs = view.part.container_runtime or "a runtime that it does not name"
    if view.serves:
        return passed(
            f"{view.name} runs containers by {runs}, and a device plugin sees the cards in one", see, told
        )
    if view.pods(Operand.TOOLKIT):
        return passed(f"the container toolkit has set up {runs} on {view.name}", see, told)
    if one := _running(view):
        said = f"{one.name} runs on {view.name} by the runtime class {one.runtime_class}"
        return passed(said, see, told)
    return untold(
        f"{view.name} runs containers by {runs}; how that is set up Kubernetes does not tell", see, told
    )


def _running(view: ChainView) -> OperandSet | None:
    """A DaemonSet whose pod runs here although it needs the runtime class."""
    sets, pods = view.sets(*Operand), view.pods(*Operand)
    if not isinstance(sets, list) or isinstance(pods, Unknown):
        return None
    running = {pod.controller for pod in pods if trouble_of(pod) is None}
    return next((one for one in sets if one.runtime_class and f"DaemonSet/{one.name}" in running), None)
