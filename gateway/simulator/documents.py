"""The documents in one file of JSON or YAML; a stretch that cannot be read costs only itself."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from gateway.simulator.store import Json

YAML_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing of a bundle that could not be read."""

    file: str
    """The file, below the bundle's directory."""
    path: str
    """Where in the file; empty: all of it."""
    problem: str
    """What is wrong."""

    def __str__(self) -> str:
        """One line for a terminal."""
        return ": ".join(part for part in (self.file, self.path, self.problem) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document, and what to call it in a problem."""

    path: str
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A stretch of a file that is no document."""

    path: str
    problem: str


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: a time is a string."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def text_of(file: Path) -> str:
    """The text of a file, in whichever Unicode its first bytes tell; a shell of Windows writes UTF-16."""
    data = file.read_bytes()
    return data.decode(json.detect_encoding(data)).removeprefix("\ufeff")


def documents(file: Path) -> Iterator[Document | Unreadable]:
    """Each document of the file, and each stretch that is none."""
    try:
        text = text_of(file)
    except (OSError, UnicodeDecodeError) as error:
        yield Unreadable(path="", problem=f"cannot be read: {error}")
        return
    yield from _yaml(text) if file.suffix in YAML_SUFFIXES else _json(text)


def _json(text: str) -> Iterator[Document | Unreadable]:
    decoder = json.JSONDecoder()
    position = _skip_space(text, 0)
    if position == len(text):
        yield Unreadable(path="", problem="is empty")
    while position < len(text):
        line = f"line {text.count(chr(10), 0, position) + 1}"
        try:
            value, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            yield Unreadable(path=f"line {error.lineno}", problem=f"is not JSON: {error.msg}")
            return
        except RecursionError:
            yield Unreadable(path=line, problem="is nested too deeply")
            return
        yield Document(path="" if position == 0 else line, value=value)
        position = _skip_space(text, end)


def _skip_space(text: str, position: int) -> int:
    found = re.compile(r"\s*").match(text, position)
    return found.end() if found else position


def _yaml(text: str) -> Iterator[Document | Unreadable]:
    line = 1
    for part in re.split(r"^(?=---(?:\s|$))", text, flags=re.MULTILINE):
        yield from _yaml_document(part, line)
        line += part.count("\n")


def _yaml_document(text: str, first_line: int) -> Iterator[Document | Unreadable]:
    path = "" if first_line == 1 else f"line {first_line}"
    try:
        value = yaml.load(text, _Loader)  # noqa: S506  (a safe one)
        json.dumps(value)
    except yaml.MarkedYAMLError as error:
        line = first_line + (error.problem_mark.line if error.problem_mark else 0)
        yield Unreadable(path=f"line {line}", problem=f"is not YAML: {error.problem}")
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        yield Unreadable(path=path, problem=f"is not YAML that JSON can say: {error}")
    else:
        if value is not None:
            yield Document(path=path, value=value)
