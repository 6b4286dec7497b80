"""Host lists as Slurm folds them: gpu-[01-04,07],login-1."""

import re
from collections.abc import Iterator
from itertools import product

_COMMA = re.compile(r",(?![^\[]*\])")
"""Commas inside brackets separate numbers, not hosts."""
_PIECES = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
_MOST_HOSTS = 65_536
"""Slurm's own limit for the nodes of a cluster is 65,533 (MAX_SLURM_NODES)."""


def read_hostlist(text: str) -> tuple[str, ...]:
    """Name each host, in Slurm's order."""
    if text in {"", "(null)", "None assigned"}:
        return ()
    hosts: list[str] = []
    for part in _COMMA.split(text):
        hosts.extend(_hosts(part, _MOST_HOSTS - len(hosts)))
    return tuple(hosts)


def _hosts(part: str, most: int) -> Iterator[str]:
    if not part or "".join(piece[0] for piece in _PIECES.finditer(part)) != part:
        raise ValueError(f"is no list of hosts: {part!r}")
    pieces = [_words(piece, most) for piece in _PIECES.finditer(part)]
    for count, words in enumerate(product(*pieces)):
        if count >= most:
            raise ValueError(f"names over {_MOST_HOSTS} hosts")
        yield "".join(words)


def _words(piece: re.Match[str], most: int) -> list[str]:
    if piece[1] is None:
        return [piece[2]]
    words: list[str] = []
    for entry in piece[1].split(","):
        form = _RANGE.fullmatch(entry)
        if form is None:
            raise ValueError(f"is no range of hosts: {entry!r}")
        first, last = int(form[1]), int(form[2] or form[1])
        if not 0 <= last - first < most - len(words):
            raise ValueError(f"is no range of hosts: {entry!r}")
        words.extend(str(number).zfill(len(form[1])) for number in range(first, last + 1))
    return words
