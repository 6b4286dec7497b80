"""The pods that are to start together with a pod."""

from dataclasses import dataclass

from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The pods of a group that have not ended."""

    group: PodGroup
    pods: tuple[Pod, ...]

    @property
    def placed(self) -> int:
        """How many have a node."""
        return sum(pod.node_name is not None for pod in self.pods)

    @property
    def absent(self) -> int:
        """How many more must be made before the group can start."""
        return max(self.group.min_member - len(self.pods), 0)


def members_of(pod: Pod, fleet: Fleet) -> Members | None:
    """The group of a pod as it stands; None where it has none, or nobody tells."""
    group = fleet.pod_group(pod)
    return Members(group=group, pods=fleet.pods_of_group(group)) if isinstance(group, PodGroup) else None
