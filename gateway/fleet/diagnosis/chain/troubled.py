"""A link that is broken because a pod of an operand does not do what it is for."""

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.chain.link import Link, broken
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.operand_pods import Trouble, current_init
from gateway.fleet.pod import Pod


def troubled(view: ChainView, trouble: Trouble, what: str) -> Link:
    """The link that such a pod breaks; `what` the pod is."""
    pod = f"{trouble.pod.namespace}/{trouble.pod.name}"
    said = f"the {what} on {view.name} does not work: pod {pod} {trouble.said}"
    remedy = view.repair(_remedy(trouble, what))
    return broken(said, command(trouble), state_of(view, trouble), remedy)


def command(trouble: Trouble) -> str:
    """Ask kubectl for what says why: its last words, else its events."""
    pod, container = trouble.pod, trouble.container
    if trouble.crashes and container is not None:
        return f"-n {pod.namespace} logs {pod.name} -c {container.name} --previous"
    return f"-n {pod.namespace} describe pod {pod.name}"


def state_of(view: ChainView, trouble: Trouble) -> tuple[Evidence, ...]:
    """What the kubelet says of the pod."""
    pod, container = trouble.pod, trouble.container
    at = f"pods/{pod.namespace}/{pod.name}"
    if container is None:
        return (view.told(f"{at} status.phase", pod.phase, "pods"),)
    statuses = f"{at} status.{'initContainerStatuses' if container.is_init else 'containerStatuses'}"
    inside = f"{statuses}[{container.name}]"
    state = (
        view.told(f"{inside}.state.waiting.reason", container.waiting, "pods")
        if container.waiting
        else view.told(f"{inside}.ready", "false", "pods")
    )
    return (state, view.told(f"{inside}.restartCount", container.restarts, "pods"))


def _remedy(trouble: Trouble, what: str) -> str:
    pod, container = trouble.pod, trouble.container
    if trouble.crashes:
        return f"read the last words of {pod.name}, and mend what the {what} dies of"
    if trouble.pulls:
        return f"make the image of {pod.name} pullable: its name, its registry, its pull secret"
    if container is not None and container.is_init:
        return f"look what {pod.name} waits for: its init container {container.name}"
    return f"look why {pod.name} does not run"


def stuck_at(pods: list[Pod], init: str) -> Trouble | None:
    """The first of these pods that does not get past an init container of this name."""
    for pod in pods:
        container = current_init(pod)
        if container is not None and container.name == init:
            return Trouble(pod, container, f"does not get past its init container {init}")
    return None
