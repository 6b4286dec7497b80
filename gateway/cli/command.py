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
    """Run to the end; SIGTERM undoes what was started, as Ctrl-C does."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_cancellable(work))


async def _cancellable(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
