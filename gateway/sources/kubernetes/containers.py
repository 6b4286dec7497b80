"""Reads what the containers of a pod do."""

from collections.abc import Iterable, Iterator

import msgspec

from gateway.fleet.container import ContainerState


class _Waiting(msgspec.Struct):
    reason: str | None = None
    message: str | None = None


class _Terminated(msgspec.Struct):
    exit_code: int | None = msgspec.field(name="exitCode", default=None)


class _State(msgspec.Struct):
    waiting: _Waiting | None = None
    terminated: _Terminated | None = None


class RawState(msgspec.Struct):
    """A container's status, what it does left as it came."""

    name: str = ""
    ready: bool = False
    restarts: int = msgspec.field(name="restartCount", default=0)
    state: msgspec.Raw = msgspec.Raw(b"null")
    last: msgspec.Raw = msgspec.field(name="lastState", default=msgspec.Raw(b"null"))


_STATE = msgspec.json.Decoder(_State | None)


def read_containers(init: Iterable[RawState], main: Iterable[RawState]) -> tuple[ContainerState, ...]:
    """Read what they do, init containers first."""
    return (*_states(init, is_init=True), *_states(main, is_init=False))


def _states(raw: Iterable[RawState], *, is_init: bool) -> Iterator[ContainerState]:
    for one in raw:
        state, last = (_STATE.decode(text) or _State() for text in (one.state, one.last))
        ended = state.terminated or last.terminated
        yield ContainerState(
            name=one.name,
            is_init=is_init,
            ready=one.ready,
            restarts=one.restarts,
            waiting=state.waiting.reason if state.waiting else None,
            message=state.waiting.message if state.waiting else None,
            exit_code=ended.exit_code if ended else None,
        )
