"""Which command is meant, and how a failure ends it: 2 for what its user can mend, 1 for what others must."""

import argparse
import logging
from asyncio import CancelledError
from collections.abc import Mapping, Sequence

from gateway.cli import check_config, controllers, demo, import_records, migrate, query, schema, serve
from gateway.cli.terminal import silence_stdout, tell
from gateway.errors import Conflict, GatewayError, Invalid, NotFound
from gateway.settings import InvalidSettings

_EPILOG = """exit status: 0 done; 1 a system that is needed did not do its part, or a query has no data;
2 a mistake in what was given: each line on stderr names it and the fix; 130 interrupted.
Settings are in the TOML file that GPU_GATEWAY_CONFIG names, and in GPU_GATEWAY_*: docs/settings.md."""
_MENDABLE = (Invalid, NotFound, Conflict)


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="gpu-gateway",
        description="One honest GraphQL graph of a shared GPU fleet.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (serve, controllers, demo, query, import_records, migrate, check_config, schema):
        command.add(commands)
    return top


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run the command that is meant, and tell how it ended; without an environment this process's."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    arguments = parser().parse_args(argv, argparse.Namespace(environ=environ))
    try:
        status: int = arguments.run(arguments)
    except InvalidSettings as mistakes:
        return _failed("settings", mistakes, 2)
    except GatewayError as error:
        return _failed(arguments.command, error, 2 if isinstance(error, _MENDABLE) else 1)
    except (KeyboardInterrupt, CancelledError):
        return 130
    except BrokenPipeError:
        silence_stdout()
        return 1
    except Exception:
        logging.getLogger(__name__).exception("nobody foresaw this")
        return 1
    return status


def _failed(what: str, error: Exception, status: int) -> int:
    for line in str(error).splitlines():
        tell(f"gpu-gateway {what}: {line}")
    return status
