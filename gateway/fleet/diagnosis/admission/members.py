"""The pods that are to start together with a pod."""

from dataclasses import dataclass
from datetime import datetime

from gateway.errors import System
from gateway.fleet.condition import Condition
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup
from gateway.fleet.unknown import Maybe


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """A group and its pods; those that failed are none of it any more."""

    group: PodGroup
    pods: tuple[Pod, ...]
    succeeded: tuple[Pod, ...]

    @property
    def placed(self) -> int:
        """How many have a node, or need none any more."""
        return sum(pod.node_name is not None for pod in self.pods) + len(self.succeeded)

    @property
    def absent(self) -> int:
        """How many more must be made before the group can start."""
        return max(self.group.min_member - len(self.pods) - len(self.succeeded), 0)

    @property
    def newest(self) -> Condition | None:
        """What is said of the group now: conditions never become False (Volcano to 1.16)."""
        return max(self.group.conditions, key=_since, default=None)

    def starting_with(self, pod: Pod) -> tuple[Pod, ...]:
        """The pod and those that must be placed with it; the pod alone, where the group runs already."""
        others = [one for one in self.pods if one.node_name is None and one.uid != pod.uid]
        return (pod, *others[: max(self.group.min_member - self.placed - 1, 0)])


def is_volcanos(pod: Pod) -> bool:
    """Whether a scheduler that places groups is to place it."""
    return pod.scheduler_name == "volcano" or (
        pod.group_name is not None and pod.scheduler_name != "default-scheduler"
    )


def members_of(pod: Pod, fleet: Fleet) -> Maybe[Members]:
    """The group of a pod as it stands; None where it has none."""
    group = fleet.silence(System.KUBERNETES, pod.cluster, "pods") or fleet.pod_group(pod)
    if not isinstance(group, PodGroup):
        return group
    around = fleet.listings.pods.group("namespace", (pod.cluster, pod.namespace)).values()
    return Members(
        group=group,
        pods=fleet.pods_of_group(group),
        succeeded=tuple(one for one in around if (one.group_name, one.phase) == (group.name, "Succeeded")),
    )


def _since(condition: Condition) -> float:
    return condition.since.timestamp() if isinstance(condition.since, datetime) else 0.0
