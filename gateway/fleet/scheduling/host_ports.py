"""Ports of the node itself: two pods cannot have the same."""

from gateway.fleet.constraints import Constraints, HostPort
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.view import Candidate, Filter, Judgement, refusal
from gateway.fleet.unknown import Unknown

_EVERY_ADDRESS = "0.0.0.0"  # noqa: S104  compared, not bound


def host_ports(ports: tuple[HostPort, ...]) -> Filter:
    """Refuse nodes where one of these is taken."""

    def judge(candidate: Candidate) -> Judgement:
        if not ports:
            return None
        if isinstance(candidate.pods, Unknown):
            return candidate.pods
        taken = [_taken(pod) for pod in candidate.pods]
        if any(_conflict(port, other) for port in ports for others in taken for other in others or ()):
            return refusal("node(s) didn't have free ports for the requested pod ports", resolvable=True)
        return _untold(candidate.pods)

    return judge


def _taken(pod: Pod) -> tuple[HostPort, ...]:
    return pod.constraints.host_ports if isinstance(pod.constraints, Constraints) else ()


def _untold(pods: tuple[Pod, ...]) -> Unknown | None:
    return next((pod.constraints for pod in pods if isinstance(pod.constraints, Unknown)), None)


def _conflict(one: HostPort, other: HostPort) -> bool:
    if (one.protocol, one.port) != (other.protocol, other.port):
        return False
    return one.address == other.address or _EVERY_ADDRESS in {one.address, other.address}
