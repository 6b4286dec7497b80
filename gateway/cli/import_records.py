"""gpu-gateway import: the platform's records, from a file into Postgres."""

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from gateway.cli.command import Commands, declare, finish
from gateway.cli.database import database_dsn
from gateway.cli.machines import on_machines
from gateway.cli.terminal import answer, tell
from gateway.settings import Settings, read_settings
from gateway.sources.postgres.platform_file import PlatformFile, read_platform_file
from gateway.sources.postgres.write import import_platform

_MORE = """A mistake in the file is one line with file, line and fix, and nothing is written. To import
the same file again changes nothing. What the file does not name stays, unless --prune is given."""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands, "import", _run, "make the platform's records say what a platform.yaml says", _MORE
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a platform.yaml")
    command.add_argument("--dry-run", action="store_true", help="only tell what would change")
    command.add_argument("--prune", action="store_true", help="remove what the file does not name")


def _run(arguments: argparse.Namespace) -> int:
    settings = read_settings(arguments.environ)
    clusters = [cluster.name for cluster in settings.clusters]
    file = read_platform_file(arguments.file, clusters) if clusters else read_platform_file(arguments.file)
    changes = finish(_import(settings, file, arguments))
    if changes:
        answer("\n".join(changes))
    tell(_summary(changes, dry_run=arguments.dry_run))
    return 0


async def _import(settings: Settings, file: PlatformFile, arguments: argparse.Namespace) -> list[str]:
    dsn, asked = database_dsn(settings), await on_machines(file, settings.clusters)
    changes = await import_platform(dsn, asked, dry_run=arguments.dry_run, prune=arguments.prune)
    return [str(change) for change in changes]


def _summary(changes: Iterable[str], *, dry_run: bool) -> str:
    counts = Counter(change[0] for change in changes)
    words = (("+", "added"), ("~", "changed"), ("-", "removed"))
    told = ", ".join(f"{counts[mark]} {word}" for mark, word in words if counts[mark])
    if not told:
        return "the records say this already"
    return f"{told} (dry run: nothing is written)" if dry_run else told
