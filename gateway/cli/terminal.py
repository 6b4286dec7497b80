"""Words for whoever typed the command: answers on stdout, all else on stderr."""

import os
import sys


def tell(line: str) -> None:
    """Say how it goes, beside the answer."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def answer(text: str) -> None:
    """Write what was asked for."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def silence_stdout() -> None:
    """Nobody reads it any more; Python would complain of that once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
