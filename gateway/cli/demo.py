"""gpu-gateway demo: the production gateway on a simulated fleet and a real PostgreSQL."""

import argparse
import socket
from pathlib import Path

from gateway.cli.command import Commands, declare, finish
from gateway.cli.listening import listen, url_of
from gateway.cli.production import serve
from gateway.cli.stage import Stage, staged
from gateway.cli.terminal import answer, tell
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
        welcome = _welcome(stage, url_of(listening))
        await serve(stage.settings, listening, lambda: answer(welcome), stage.clock)
    tell("stopped; nothing is left running")


def _welcome(stage: Stage, url: str) -> str:
    asked = "\n".join(f"{i}. {why}\n   {query}\n" for i, (why, query) in enumerate(QUERIES, 1))
    return _WELCOME.format(url=url, dsn=stage.dsn, asked=asked)


QUERIES = (
    (
        "Where do systems disagree, who says what, and what is to be done?",
        """{ alerts { nodes { severity message claim { system value } evidence { system value }
       remedies { text } } } }""",
    ),
    (
        "Which systems answer, and what could not be read of them?",
        "{ sources { name state lastSuccessAt skipped { subject problem } } }",
    ),
    (
        "What has each machine, and how do we know?",
        "{ clusters { nodes { nodes { name ready gpus { product cards cardsBasis } } } } }",
    ),
    (
        "Where does capacity lie? What is there, what can be used and what was promised are three numbers.",
        """{ clusters { capacity { gpuType { name } target physical healthy allocated available deficit
       unknowns { field reason } } } }""",
    ),
)
_WELCOME = """
  GraphiQL   {url}/
  GraphQL    {url}/graphql
  Postgres   {dsn}

Four queries worth asking:

{asked}
Ctrl-C stops it.
"""
