"""gpu-gateway query: one question, its answer as JSON."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from gateway.app import graphql
from gateway.assembly import assemble
from gateway.cli.command import Commands, declare, finish
from gateway.cli.first_word import heard_from_all
from gateway.cli.production import parts
from gateway.cli.remote import ask
from gateway.cli.stage import staged
from gateway.cli.terminal import answer
from gateway.errors import Invalid
from gateway.http.execution import GraphQL
from gateway.http.parameters import Parameters
from gateway.http.refusal import Refusal
from gateway.simulator.bundle import load_bundle
from gateway.simulator.world import World

_MORE = """With --from the production gateway reads the directory's fleet and ends; it opens no port, and a
mutation is refused.
exit status: 0 there is data, errors beside it or not; 1 there is none; 2 nothing could be asked or read."""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(commands, "query", _run, "ask one query and print its answer as JSON", _MORE)
    whom = command.add_mutually_exclusive_group(required=True)
    whom.add_argument(
        "--from", dest="bundle", type=Path, metavar="DIR", help="a fleet as dumps in a directory"
    )
    whom.add_argument("--url", help="a running gateway, such as http://127.0.0.1:8000")
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("query", nargs="?", metavar="QUERY", help="the query itself; - reads it from stdin")
    what.add_argument("--file", type=Path, metavar="FILE", help="a file with the query; - is stdin")
    command.add_argument("--variables", default="{}", metavar="JSON", help="its variables, as an object")
    command.add_argument("--operation", metavar="NAME", help="which operation of the document to execute")


def _run(arguments: argparse.Namespace) -> int:
    parameters = Parameters(
        query=_document(arguments),
        variables=_variables(arguments.variables),
        operation_name=arguments.operation,
    )
    if arguments.url:
        body = finish(ask(arguments.url, parameters))
    else:
        body = finish(_ask_bundle(load_bundle(arguments.bundle), parameters))
    answer(msgspec.json.format(msgspec.json.encode(body), indent=2).decode())
    return 0 if body.get("data") is not None else 1


async def _ask_bundle(world: World, parameters: Parameters) -> dict[str, Any]:
    async with staged(world, database=False) as stage:
        assembly = assemble(stage.settings, stage.clock)
        async with assembly.reading():
            await heard_from_all(assembly.keeper.pin)
            assembly.alerts.look_once()
            # No time passes in a bundle: what is said in it is all that there is to keep.
            asked = replace(parts(stage.settings, assembly), archive=None)
            return await _only_read(graphql(asked), parameters)


async def _only_read(asked: GraphQL, parameters: Parameters) -> dict[str, Any]:
    """What is written goes into a database that is gone with the answer."""
    try:
        answered = await asked.answer(parameters, safe=True)
    except Refusal:
        raise Invalid(
            "--from: a directory is only read, and nothing of a mutation would last: ask `impact` what it"
            " would do, or a running gateway with --url"
        ) from None
    return answered.body


def _document(arguments: argparse.Namespace) -> str:
    """The text of the query, from wherever it is to be read."""
    given = arguments.query if arguments.file is None else str(arguments.file)
    if given != "-" and arguments.file is None:
        return str(given)
    try:
        return sys.stdin.read() if given == "-" else Path(given).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"--file {given}: cannot be read: {error}") from None


def _variables(text: str) -> dict[str, Any]:
    try:
        variables = json.loads(text)
    except ValueError as error:
        raise Invalid(f"--variables: is not JSON: {error}") from None
    if not isinstance(variables, dict):
        raise Invalid('--variables: must be an object, such as {"name": "gpu-01"}')
    return variables
