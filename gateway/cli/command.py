"""How a command is declared and run."""

import argparse
import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

import uvloop

T = TypeVar("T")
# argparse names the type of `add_subparsers()` only privately.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - see above


def declare(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], purpose: str, more: str = ""
) -> argparse.ArgumentParser:
    """Add a command; its options are added to what this returns."""
    command = commands.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run, command=name)
    return command


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; SIGINT and SIGTERM undo what was started."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_cancellable(work))


async def _cancellable(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await task
