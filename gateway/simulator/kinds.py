"""What a Kubernetes kind is called in a URL, and how a kind is told by the name of a file."""

import re
from dataclasses import dataclass

_KNOWN = {
    "v1": ("Node", "Pod", "Namespace", "Event", "Service", "ConfigMap", "ResourceQuota", "LimitRange"),
    "apps/v1": ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"),
    "batch/v1": ("Job", "CronJob"),
    "policy/v1": ("PodDisruptionBudget",),
    "resource.k8s.io/v1": ("ResourceSlice", "ResourceClaim", "DeviceClass"),
    "node.k8s.io/v1": ("RuntimeClass",),
    "scheduling.k8s.io/v1": ("PriorityClass",),
    "scheduling.volcano.sh/v1beta1": ("Queue", "PodGroup"),
    "kueue.x-k8s.io/v1beta1": ("Workload",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind as the API serves it."""

    api_version: str
    kind: str

    @property
    def group(self) -> str:
        """The API group; the core group has no name."""
        return self.api_version.rpartition("/")[0]

    @property
    def plural(self) -> str:
        """The word in the URL."""
        return plural(self.kind)

    @property
    def builtin(self) -> bool:
        """Kubernetes' own kinds leave apiVersion and kind out of the items of a list; custom ones do not."""
        return "." not in self.group or self.group.endswith(".k8s.io")


def plural(kind: str) -> str:
    """The plural that Kubernetes derives from a kind's name."""
    word = kind.lower()
    if word == "endpoints":
        return word
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(s|x|ch|sh)$", word) else "s")


def resource_named(stem: str) -> Resource | None:
    """The kind that a file's name tells: `pods`, `pod` and `gpu-pods` all say Pod."""
    last = re.split(r"[-_.\s]", stem.lower())[-1]
    return _BY_WORD.get(stem.lower()) or _BY_WORD.get(last)


def _by_word() -> dict[str, Resource]:
    resources = [
        Resource(api_version=version, kind=kind) for version, kinds in _KNOWN.items() for kind in kinds
    ]
    return {word: resource for resource in resources for word in (resource.plural, resource.kind.lower())}


_BY_WORD = _by_word()

NODES = _BY_WORD["nodes"]
PODS = _BY_WORD["pods"]
