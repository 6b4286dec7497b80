"""What a container of a pod does, as its kubelet tells."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerState:
    """One container."""

    name: str
    is_init: bool
    ready: bool
    """It serves; an init container: it is through."""
    restarts: int
    waiting: str | None
    """Why it does not run, in a word: CrashLoopBackOff."""
    message: str | None
    """The same in a sentence."""
    exit_code: int | None
    """How it ended last."""
