"""The command line: one module a command."""

from gateway.cli.main import main

__all__ = ["main"]
