"""gpu-gateway serve: the gateway, until it is told to stop."""

import argparse

from gateway.cli.command import Commands, declare, finish
from gateway.cli.listening import listen, url_of
from gateway.cli.production import serve
from gateway.cli.terminal import answer
from gateway.settings import read_settings
from gateway.telemetry import log_as_json


def add(commands: Commands) -> None:
    """Declare the command."""
    declare(commands, "serve", _run, "serve the gateway as the settings say, until SIGINT or SIGTERM")


def _run(arguments: argparse.Namespace) -> int:
    settings = read_settings(arguments.environ)
    log_as_json(settings.log_level)
    with listen(settings.host, settings.port) as listening:
        url = url_of(listening)
        ready = f"GraphQL at {url}/graphql, GraphiQL at {url}/"
        finish(serve(settings, listening, lambda: answer(ready)))
    return 0
