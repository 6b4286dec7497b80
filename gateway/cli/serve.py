"""gpu-gateway serve: the gateway, until it is told to stop."""

import argparse

from gateway.app import create_app
from gateway.assembly import assemble
from gateway.cli.command import Commands, declare, finish
from gateway.cli.listening import answer_until_told, listen, url_of
from gateway.cli.production import parts
from gateway.cli.terminal import answer
from gateway.settings import read_settings
from gateway.telemetry import log_as_json


def add(commands: Commands) -> None:
    """Declare the command."""
    declare(commands, "serve", _run, "serve the gateway as the settings say, until SIGINT or SIGTERM")


def _run(arguments: argparse.Namespace) -> int:
    settings = read_settings(arguments.environ)
    with listen(settings.host, settings.port) as listening:
        log_as_json(settings.log_level)
        app = create_app(parts(settings, assemble(settings)))
        url = url_of(listening)
        finish(
            answer_until_told(app, listening, lambda: answer(f"GraphQL at {url}/graphql, GraphiQL at {url}/"))
        )
    return 0
