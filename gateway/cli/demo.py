"""gpu-gateway demo: the production gateway on a simulated fleet and a real PostgreSQL."""

import argparse
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.app import create_app
from gateway.assembly import Assembly, assemble
from gateway.background import alongside
from gateway.cli.command import Commands, declare, finish
from gateway.cli.listening import answer_until_told, listen, url_of
from gateway.cli.production import parts
from gateway.cli.stage import Stage, staged
from gateway.cli.terminal import answer, tell
from gateway.cli.welcome import welcome
from gateway.control import assemble_controllers, run_all
from gateway.fleet.clock import utc_now
from gateway.simulator.bundle import load_bundle
from gateway.simulator.scenario.demo import demo_fleet
from gateway.simulator.world import World
from gateway.telemetry import log_as_json

_MORE = """Without --from the fleet is made up: about 40 nodes of four tenants, and every disagreement
that real fleets have. Ctrl-C leaves nothing running."""
_LOOPBACK = "127.0.0.1"
_LAST_PORT = 65_535


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands, "demo", _run, "serve the gateway on a simulated fleet, or on a fleet in a directory", _MORE
    )
    command.add_argument("--from", dest="bundle", type=Path, metavar="DIR", help="a fleet in a directory")
    command.add_argument("--port", type=_port, default=8000, help="default 8000; 0 takes a free one")
    command.add_argument("--verbose", action="store_true", help="write the gateway's log to stderr")


def _run(arguments: argparse.Namespace) -> int:
    log_as_json("info" if arguments.verbose else "error")
    with listen(_LOOPBACK, arguments.port) as listening:
        world = load_bundle(arguments.bundle) if arguments.bundle else demo_fleet(utc_now)
        finish(_demo(world, listening))
    return 0


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to {_LAST_PORT}")
    return int(text)


async def _demo(world: World, listening: socket.socket) -> None:
    tell("starting the simulated fleet and PostgreSQL ...")
    async with staged(world, database=True) as stage:
        await _serve(stage, listening, lambda: answer(welcome(stage, url_of(listening))))
    tell("stopped; nothing is left running")


async def _serve(stage: Stage, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Run what `gpu-gateway serve` runs, and where something can come of it `gpu-gateway controllers` too."""
    assembly = assemble(stage.settings, stage.clock)
    app = create_app(parts(stage.settings, assembly))
    async with assembly.running(), _controlled(stage, assembly):
        await answer_until_told(app, listening, ready)


@asynccontextmanager
async def _controlled(stage: Stage, assembly: Assembly) -> AsyncIterator[None]:
    if not stage.is_alive:
        yield
        return
    async with alongside(run_all(assemble_controllers(stage.settings, assembly.keeper))):
        yield
