"""The scheduler of a cluster's queues: which release runs, and what it is configured to do."""

import enum
import re
from dataclasses import dataclass
from typing import NamedTuple

from gateway.fleet.unknown import Unknown

_TAG = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?![\w.])")


class Release(NamedTuple):
    """A release of Volcano; what comes before one, v1.14.0-alpha.1, counts as it."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        """The release as its tag is written."""
        return f"v{self.major}.{self.minor}.{self.patch}"


def release_of(image: str) -> Release | None:
    """The release that an image's tag names; None where it names none, as `latest` does."""
    name = image.partition("@")[0].rpartition("/")[2]
    form = _TAG.match(name.partition(":")[2])
    return Release(int(form[1]), int(form[2]), int(form[3] or 0)) if form else None


class SharePlugin(enum.Enum):
    """The plugin that holds queues to their shares."""

    CAPACITY = "capacity"
    PROPORTION = "proportion"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerConfig:
    """What the scheduler's configuration says of queues."""

    actions: tuple[str, ...]
    share_plugin: SharePlugin | Unknown | None
    """None: no plugin holds queues to shares."""
    hierarchy: bool
    """enableHierarchy of that plugin: queues have parents."""
    gang_decides: bool
    """The plugin gang stands in an earlier tier: what it gives up is taken, whatever the shares say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """The scheduler that serves the queues of a cluster."""

    cluster: str
    release: Release | Unknown
    config: SchedulerConfig | Unknown
