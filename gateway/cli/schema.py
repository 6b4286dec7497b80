"""gpu-gateway schema: what can be asked."""

import argparse

from gateway.cli.command import Commands, declare
from gateway.cli.terminal import answer
from schema.build import build


def add(commands: Commands) -> None:
    """Declare the command."""
    declare(commands, "schema", _run, "print the schema, with where each value comes from")


def _run(_: argparse.Namespace) -> int:
    answer(build().as_str())
    return 0
