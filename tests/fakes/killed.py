"""A process that is killed right before or right after its n-th write, whatever it was about to do."""

import contextlib
from collections.abc import Callable
from typing import Any

WRITES = ("cordon", "give_back", "label", "evict", "delete", "add_layout", "claim", "lead")


class Killed(BaseException):
    """SIGKILL: nothing of the process runs any more."""


class Fuse:
    """Counts writes, and burns through at one of them."""

    def __init__(self, at: int, *, after: bool) -> None:
        self._left = at
        self._after = after
        self.burnt = False

    def through(self, target: object) -> Any:
        """The same thing, whose writes are counted."""
        return _Fused(target, self)

    async def around(self, write: Callable[[], Any]) -> Any:
        """Do a write, unless it is the one."""
        self._left -= 1
        if self._left == 0 and not self._after:
            self._burn()
        result = await write()
        if self._left == 0:
            self._burn()
        return result

    def _burn(self) -> None:
        self.burnt = True
        raise Killed


class _Fused:
    def __init__(self, target: object, fuse: Fuse) -> None:
        self._target, self._fuse = target, fuse

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if name not in WRITES:
            return found

        async def counted(*args: Any, **kwargs: Any) -> Any:
            return await self._fuse.around(lambda: found(*args, **kwargs))

        return counted


@contextlib.contextmanager
def surviving() -> Any:
    """Go on after the process was killed."""
    with contextlib.suppress(Killed):
        yield
