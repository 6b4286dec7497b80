"""Whether pods of operands do what they are for, and why not."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gateway.fleet.container import ContainerState
from gateway.fleet.operand import Operand, operand_of
from gateway.fleet.pod import Pod
from gateway.fleet.unknown import Unknown

SERVING = frozenset({Operand.DEVICE_PLUGIN, Operand.DRA_DRIVER})
"""By which the kubelet, or the scheduler, learns of the cards."""
_CRASHES = frozenset({"CrashLoopBackOff", "RunContainerError", "CreateContainerError", "StartError"})
_NO_IMAGE = frozenset({"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"})
_COMING = frozenset({"ContainerCreating", "PodInitializing"})


class Trouble(NamedTuple):
    """What keeps a pod from what it is for."""

    pod: Pod
    container: ContainerState | None
    """None: the pod as a whole."""
    said: str
    """Goes on after the pod's name."""

    @property
    def crashes(self) -> bool:
        """Whether a container ends again and again."""
        return self.container is not None and _crashes(self.container)

    @property
    def pulls(self) -> bool:
        """Whether it waits for its image."""
        return self.container is not None and self.container.waiting in _NO_IMAGE


def pods_of(pods: Iterable[Pod], operands: Iterable[Operand]) -> list[Pod]:
    """Those of some operands that are not going; one that has ended counts until there is another."""
    wanted = frozenset(operands)
    found = [pod for pod in pods if not pod.terminating and operand_of(pod.controller) in wanted]
    replaced = {pod.controller for pod in found if not pod.ended}
    return [pod for pod in found if not pod.ended or pod.controller not in replaced]


def trouble_of(pod: Pod) -> Trouble | None:
    """What keeps it from what it is for; None: nothing."""
    if pod.ended:
        why = f": {pod.turned_down.reason}" if pod.turned_down and pod.turned_down.reason else ""
        return Trouble(pod, None, f"is {pod.phase}{why}")
    stuck = current_init(pod) or next((one for one in pod.containers if not one.ready), None)
    if stuck is not None:
        return Trouble(pod, stuck, _said(stuck))
    return None if pod.phase == "Running" else Trouble(pod, None, f"is {pod.phase or 'not started'}")


def troubles(pods: Iterable[Pod]) -> Iterator[Trouble]:
    """What is wrong with each that something is wrong with."""
    return (found for pod in pods if (found := trouble_of(pod)))


def current_init(pod: Pod) -> ContainerState | None:
    """The init container that it is not through with; None: through with all."""
    return next((one for one in pod.containers if one.is_init and not one.ready), None)


def crash_of(pods: tuple[Pod, ...] | Unknown) -> str | None:
    """How what serves the cards of a node crashes; None: it does not, or nobody tells."""
    if isinstance(pods, Unknown):
        return None
    serving = (pod for pod in pods if pod.containers and operand_of(pod.controller) in SERVING)
    return next((f"{one.pod.name} {one.said}" for one in troubles(serving) if one.crashes), None)


def _crashes(container: ContainerState) -> bool:
    """Whether it ends again and again; between two starts it waits for nothing for a moment."""
    failed = container.waiting is None and container.restarts > 0 and bool(container.exit_code)
    return not container.ready and (container.waiting in _CRASHES or failed)


def _said(container: ContainerState) -> str:
    kind = "init container" if container.is_init else "container"
    name = f"its {kind} {container.name}"
    if _crashes(container):
        ended = "" if container.exit_code is None else f", the last time with exit code {container.exit_code}"
        return f"crashes: {name} was restarted {container.restarts} times{ended}"
    if container.waiting in _NO_IMAGE:
        return f"has no image: {name} is in {container.waiting}" + _because(container)
    if container.waiting is None:
        return (
            f"does not serve: {name} is not through"
            if container.is_init
            else f"does not serve: {name} is not ready"
        )
    if container.waiting in _COMING:
        return f"has not started: {name} is in {container.waiting}"
    return f"does not start: {name} is in {container.waiting}" + _because(container)


def _because(container: ContainerState) -> str:
    return f": {container.message}" if container.message else ""
