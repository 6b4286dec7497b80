"""Read YAML value by value, so that every mistake in it is told at once, with its line."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import yaml

from gateway.errors import Invalid

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = "tag:yaml.org,2002:null"
_MOST = 2**31 - 1
_LONGEST = 253


class MarkedYaml:
    """One YAML file and the mistakes found in it; what cannot be read is None, and a mistake."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mistakes: list[tuple[int, str]] = []

    def document(self) -> yaml.Node | None:
        """The whole file; None where it is empty."""
        try:
            return yaml.compose(self._path.read_text(encoding="utf-8"), Loader=_LOADER)
        except OSError as problem:
            raise Invalid(f"{self._path}: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise Invalid(f"{self._path}: is not UTF-8 text") from None
        except yaml.YAMLError as problem:
            raise Invalid(f"{self._path}:{_line_of(problem)}: is not YAML: {_said(problem)}") from None

    def mistake(self, node: yaml.Node, text: str) -> None:
        """Note what is wrong here; a text names the thing and the fix."""
        self._mistakes.append((node.start_mark.line + 1, text))

    def finish(self) -> None:
        """Raise everything that was wrong, in the order of the lines."""
        if self._mistakes:
            lines = sorted(set(self._mistakes))
            raise Invalid("\n".join(f"{self._path}:{line}: {text}" for line, text in lines))

    def mapping(
        self, node: yaml.Node | None, what: str, required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, yaml.Node]:
        """The values by key, each key once and none but these; one that is null counts as left out."""
        if node is None:
            return {}
        values = self.pairs(node, what)
        for key, value in list(values.items()):
            if key not in required and key not in optional:
                self.mistake(
                    value, f"{what}: unknown key {key!r}; known are {', '.join((*required, *optional))}"
                )
            if value.tag == _NULL:
                del values[key]
        for key in required:
            if key not in values and isinstance(node, yaml.MappingNode):
                self.mistake(node, f"{what}: {key} is missing; add it")
        return values

    def pairs(self, node: yaml.Node | None, what: str) -> dict[str, yaml.Node]:
        """The values by key, whatever the keys are."""
        values: dict[str, yaml.Node] = {}
        if node is None:
            return values
        if not isinstance(node, yaml.MappingNode):
            self.mistake(node, f"{what}: is {_shown(node)}; write a mapping of keys and values")
            return values
        for key, value in node.value:
            name = str(key.value)
            if not isinstance(key, yaml.ScalarNode):
                self.mistake(key, f"{what}: a key is {_shown(key)}; write a word")
            elif name in values:
                self.mistake(key, f"{what}: the key {name!r} stands here twice; keep one")
            values[name] = value
        return values

    def items(self, node: yaml.Node | None, what: str) -> list[yaml.Node]:
        """The elements of a list; none where it is left out."""
        if node is None or node.tag == _NULL:
            return []
        if not isinstance(node, yaml.SequenceNode):
            self.mistake(node, f"{what}: is {_shown(node)}; write a list")
            return []
        return list(node.value)

    def text(self, node: yaml.Node | None, what: str) -> str | None:
        """A name as it is written, quoted or not."""
        if node is None:
            return None
        if not isinstance(node, yaml.ScalarNode) or node.tag == _NULL or not node.value.strip():
            self.mistake(node, f"{what}: is {_shown(node)}; write a name")
            return None
        text = str(node.value)
        if len(text) > _LONGEST or not text.isprintable():
            self.mistake(node, f"{what}: has control characters or more than {_LONGEST}; write a name")
            return None
        return text

    def texts(self, node: yaml.Node | None, what: str) -> tuple[str, ...]:
        """Names in a list."""
        return tuple(text for item in self.items(node, what) if (text := self.text(item, what)))

    def count(self, node: yaml.Node | None, what: str, least: int = 0) -> int | None:
        """A whole number that is not below the least."""
        if node is None:
            return None
        written = node.value if isinstance(node, yaml.ScalarNode) else ""
        if re.fullmatch(r"\d{1,10}", written, re.ASCII) and least <= int(written) <= _MOST:
            return int(written)
        self.mistake(node, f"{what}: is {_shown(node)}; write a whole number from {least} to {_MOST}")
        return None

    def amount(self, node: yaml.Node | None, what: str) -> Decimal | None:
        """An exact decimal from 0: the digits as written, never a float."""
        if node is None:
            return None
        written = node.value if isinstance(node, yaml.ScalarNode) else ""
        if re.fullmatch(r"\d{1,12}(\.\d{1,12})?", written, re.ASCII):
            return Decimal(written)
        form = 'write a decimal from 0, as "2.50", up to 12 digits before and after the point'
        self.mistake(node, f"{what}: is {_shown(node)}; {form}")
        return None

    def moment(self, node: yaml.Node | None, what: str) -> datetime | None:
        """A time with its zone."""
        if node is None:
            return None
        try:
            moment = datetime.fromisoformat(node.value if isinstance(node, yaml.ScalarNode) else "")
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self.mistake(
                node, f"{what}: is {_shown(node)}; write a time with its zone, as 2026-01-01T00:00:00Z"
            )
            return None
        return moment

    def choice(self, node: yaml.Node | None, what: str, choices: Iterable[str]) -> str | None:
        """One of these words."""
        if node is None:
            return None
        if isinstance(node, yaml.ScalarNode) and node.value in choices:
            return str(node.value)
        self.mistake(node, f"{what}: is {_shown(node)}; write {' or '.join(choices)}")
        return None


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return "nothing" if node.tag == _NULL else repr(node.value[:60])
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def _line_of(problem: yaml.YAMLError) -> int:
    mark = getattr(problem, "problem_mark", None)
    return mark.line + 1 if mark else 1


def _said(problem: yaml.YAMLError) -> str:
    return str(getattr(problem, "problem", None) or problem).splitlines()[0]
