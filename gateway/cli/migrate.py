"""gpu-gateway migrate: the tables of the platform's records."""

import argparse

from gateway.cli.command import Commands, declare, finish
from gateway.cli.database import database_dsn
from gateway.cli.terminal import answer
from gateway.settings import read_settings
from gateway.sources.postgres.migrate import migrate


def add(commands: Commands) -> None:
    """Declare the command."""
    declare(
        commands,
        "migrate",
        _run,
        "bring the tables of the platform's records up to date",
        "It is safe to run it twice, and from several places at once.",
    )


def _run(arguments: argparse.Namespace) -> int:
    applied = finish(migrate(database_dsn(read_settings(arguments.environ))))
    answer("\n".join(f"applied {name}" for name in applied) or "nothing to do: the tables are up to date")
    return 0
