"""The command line: one module a command, and what several of them need."""

from gateway.cli.main import main

__all__ = ["main"]
