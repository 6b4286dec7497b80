"""Reads the values of one object each by itself, and keeps what could not be read."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from gateway.errors import System
from gateway.fleet.unknown import Unknown, undetermined
from gateway.sources.sync import Problem

T = TypeVar("T")


class Reading:
    """The values of one object."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be read so far."""
        return tuple(self._problems)

    def read(self, path: str, value: Any, rule: Callable[[Any], T]) -> T | Unknown:  # noqa: ANN401  (any JSON)
        """Read one value by a rule; Unknown where the rule raises ValueError."""
        try:
            if value is msgspec.UNSET:
                raise ValueError("is missing")  # noqa: TRY301  (read like any other problem)
            return rule(value)
        except ValueError as error:
            return self.problem(path, value, str(error))

    def problem(self, path: str, value: Any, text: str) -> Unknown:  # noqa: ANN401  (any JSON)
        """Keep a problem, and say why there is no value."""
        self._problems.append(Problem(path, raw(value), text))
        return undetermined(System.SLURM, f"{path} {text}")


def read_text(value: Any) -> str:  # noqa: ANN401  (any JSON)
    """Read a text."""
    if not isinstance(value, str):
        raise ValueError("is no text")  # noqa: TRY004  (of a foreign answer, not of an argument)
    return value


def read_texts(value: Any) -> tuple[str, ...]:  # noqa: ANN401  (any JSON)
    """Read a list of texts."""
    if not isinstance(value, list):
        raise ValueError("is no list")  # noqa: TRY004  (of a foreign answer, not of an argument)
    return tuple(map(read_text, value))


def raw(value: Any) -> str:  # noqa: ANN401  (any JSON)
    """A value as its text was, or near to it."""
    if value is msgspec.UNSET:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
