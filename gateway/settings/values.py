"""What the text or TOML value of one setting must be, and how it is said when it is not."""

import re
import types
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Protocol, Union, get_args, get_origin

_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_LONGEST = timedelta(days=365)
_TRUTHS = {"true": True, "false": False}


class Rule(Protocol):
    """One kind of value."""

    @property
    def wanted(self) -> str:
        """What a value must be, as the end of the sentence `x is not ...`."""

    def read(self, value: object) -> object:
        """The value as the gateway uses it; ValueError where it is not what is wanted."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds."""

    least: int
    most: int

    @property
    def wanted(self) -> str:
        """A number, from where to where."""
        return f"a whole number from {self.least} to {self.most}"

    def read(self, value: object) -> int:
        """A TOML integer, or its digits."""
        number = int(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
        if number is None or not self.least <= number <= self.most:
            raise ValueError
        return number


@dataclass(frozen=True, slots=True)
class Name:
    """Text that is not empty."""

    wanted: str = "text in one line"

    def read(self, value: object) -> str:
        """The text, as it is."""
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace of Kubernetes."""

    wanted: str = "a namespace: up to 63 of a-z, 0-9 and -"

    def read(self, value: object) -> str:
        """Its name, as it is."""
        if not isinstance(value, str) or not _NAMESPACE.fullmatch(value):
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Names:
    """Several names."""

    wanted: str = "a list of names; in the environment they are separated by commas"

    def read(self, value: object) -> tuple[str, ...]:
        """The names, in their order."""
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, list):
            raise ValueError  # noqa: TRY004 - the one that rules raise
        return tuple(Name().read(name).strip() for name in names)


@dataclass(frozen=True, slots=True, init=False)
class OneOf:
    """One of a few words."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)

    @property
    def wanted(self) -> str:
        """The words."""
        return f"one of {', '.join(self.words)}"

    def read(self, value: object) -> str:
        """The word, in lower case."""
        if not isinstance(value, str) or value.lower() not in self.words:
            raise ValueError
        return value.lower()


@dataclass(frozen=True, slots=True)
class Truth:
    """Yes or no."""

    wanted: str = "true or false"

    def read(self, value: object) -> bool:
        """A TOML boolean, or its word."""
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in _TRUTHS:
            return _TRUTHS[value.lower()]
        raise ValueError


@dataclass(frozen=True, slots=True)
class Duration:
    """A time with its unit."""

    wanted: str = 'a time with its unit, such as "500ms", "30s", "5m", "1h" or "2d"'

    def read(self, value: object) -> timedelta:
        """The time; never 0, since nothing is done without a pause."""
        match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
        if match is None:
            raise ValueError
        duration = timedelta(**{_UNITS[match[2]]: float(match[1])})
        if not timedelta(0) < duration <= _LONGEST:
            raise ValueError
        return duration


@dataclass(frozen=True, slots=True)
class Readable:
    """A path that exists."""

    wanted: str = "a file or folder that can be read here"

    def read(self, value: object) -> Path:
        """The path; ~ is the home of who runs the gateway."""
        if not isinstance(value, str) or not value:
            raise ValueError
        path = Path(value).expanduser()
        if path.is_file():
            path.open("rb").close()
        elif not path.is_dir():
            raise ValueError
        return path


_BY_TYPE: dict[type, Rule] = {timedelta: Duration(), Path: Readable(), bool: Truth()}


def rule_of(hint: Any) -> Rule:  # noqa: ANN401 - an annotation may be anything
    """The rule that a setting's annotation names."""
    if get_origin(hint) in {Union, types.UnionType}:
        hint = next(part for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is Annotated:
        rule: Rule = hint.__metadata__[0]
        return rule
    return _BY_TYPE[hint]
