"""What gpu-feature-discovery, the GPU operator and node-feature-discovery write into a node's labels."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import TypeVar

from gateway.errors import System
from gateway.fleet.gpu import GpuLabels, MigConfigState, MigStrategy, SharingStrategy
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.unknown import Maybe, Unknown, undetermined
from gateway.sources.sync import Problem

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

_MOST_DEVICES = 1_024
_MOST_MIB = 2**31 - 1
_LAST_SECOND = 253_402_300_799  # of the year 9999
_PROFILE = re.compile(re.escape(MIG_PREFIX) + r"(?P<profile>.+)\.(?P<word>count|replicas)")
_DETECTED = (
    "nvidia.com/gpu.present",
    "amd.com/gpu.present",
    "feature.node.kubernetes.io/pci-10de.present",
    "feature.node.kubernetes.io/pci-0302_10de.present",
    "feature.node.kubernetes.io/pci-0300_10de.present",
    "feature.node.kubernetes.io/amd-gpu",
)
_DESCRIBED = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "amd.com/gpu.family",
    "cloud.google.com/gke-accelerator",
)


def read_labels(labels: Mapping[str, str], problems: list[Problem]) -> GpuLabels:
    """Read what the labels say of GPUs; a value that cannot be read is unknown, and is told."""
    read = _Labels(labels, problems)
    return GpuLabels(
        product=labels.get("nvidia.com/gpu.product"),
        count=read.number("nvidia.com/gpu.count", _MOST_DEVICES),
        memory_mib=read.number("nvidia.com/gpu.memory", _MOST_MIB),
        replicas=read.number("nvidia.com/gpu.replicas", _MOST_DEVICES),
        sharing_strategy=read.value("nvidia.com/gpu.sharing-strategy", _sharing),
        driver_version=_version(labels, "cuda.driver-version", "cuda.driver"),
        cuda_version=_version(labels, "cuda.runtime-version", "cuda.runtime"),
        mig_strategy=read.value("nvidia.com/mig.strategy", _one_of(MigStrategy)),
        mig_config=labels.get("nvidia.com/mig.config"),
        mig_config_state=read.value("nvidia.com/mig.config.state", _one_of(MigConfigState)),
        since=read.value("nvidia.com/gfd.timestamp", _time),
        driver_upgrade_state=labels.get("nvidia.com/gpu-driver-upgrade-state"),
        is_gpu_machine=_is_gpu_machine(labels),
        profile_counts=_by_profile("count", labels, read),
        profile_replicas=_by_profile("replicas", labels, read),
    )


class _Labels:
    """A node's labels while they are read."""

    def __init__(self, labels: Mapping[str, str], problems: list[Problem]) -> None:
        self._labels = labels
        self._problems = problems
        self._odd = {problem.path: problem.raw for problem in problems}

    def value(self, key: str, read: Callable[[str], T | Unknown]) -> Maybe[T]:
        """What a label says; None where there is none, unknown where its reader raises ValueError."""
        path = f"metadata.labels[{key}]"
        if path in self._odd:
            return undetermined(System.KUBERNETES, f"the label {key} is no text: {self._odd[path]}")
        text = self._labels.get(key)
        if text is None:
            return None
        try:
            return read(text)
        except ValueError as error:
            problem = f"the label {key} says {text!r}: {error}"
            self._problems.append(Problem(path=path, raw=text, text=problem))
            return undetermined(System.KUBERNETES, problem)

    def number(self, key: str, most: int) -> Maybe[int]:
        """A whole number of a label, from 0 to the most that is plausible."""
        return self.value(key, lambda text: _whole(text, most))


def _whole(text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and int(text) <= most):
        raise ValueError(f"no whole number from 0 to {most}")
    return int(text)


def _time(text: str) -> datetime:
    return datetime.fromtimestamp(_whole(text, _LAST_SECOND), UTC)


def _sharing(text: str) -> SharingStrategy | Unknown:
    if not text:  # what gpu-feature-discovery writes then, so nothing is misread
        return undetermined(System.KUBERNETES, "no sharing strategy is told while the MIG layout is invalid")
    return _one_of(SharingStrategy)(text)


def _one_of(words: type[E]) -> Callable[[str], E]:
    def read(text: str) -> E:
        try:
            return words(text.upper().replace("-", "_"))
        except ValueError:
            known = ", ".join(word.value.lower().replace("_", "-") for word in words)
            raise ValueError(f"none of {known}") from None

    return read


def _version(labels: Mapping[str, str], name: str, older: str) -> str | None:
    """A version as one text: written in full, or put together from its parts (older releases)."""
    full = labels.get(f"nvidia.com/{name}.full")
    if full:
        return full
    current = [labels.get(f"nvidia.com/{name}.{part}") for part in ("major", "minor", "revision")]
    former = [labels.get(f"nvidia.com/{older}.{part}") for part in ("major", "minor", "rev")]
    return ".".join(part for part in current if part) or ".".join(part for part in former if part) or None


def _is_gpu_machine(labels: Mapping[str, str]) -> bool:
    return any(labels.get(key) == "true" for key in _DETECTED) or any(key in labels for key in _DESCRIBED)


def _by_profile(word: str, labels: Mapping[str, str], read: _Labels) -> Mapping[str, Maybe[int]]:
    """A number of each profile, named as in resources: 1g.10gb, 1g.10gb.me."""
    found = ((key, _PROFILE.fullmatch(key)) for key in labels if key.startswith(MIG_PREFIX))
    return {
        match["profile"]: read.number(key, _MOST_DEVICES)
        for key, match in found
        if match and match["word"] == word
    }
