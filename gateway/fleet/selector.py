"""Label selectors: which labels they select, as Kubernetes' own do (apimachinery 0.36.3)."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass

_INTEGER = re.compile(r"[+-]?[0-9]{1,64}")
_LARGEST = 2**63


class Operator(enum.Enum):
    """How a requirement judges the value of its key."""

    IN = "in"
    NOT_IN = "notin"
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"
    GREATER_THAN = ">"
    LESS_THAN = "<"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What one key must be like."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels are as required; where the key is missing, only what excludes is content."""
        value, operator = labels.get(self.key), self.operator  # compared by `is`: an enum's hash is slow
        if value is None:
            return operator is Operator.NOT_IN or operator is Operator.DOES_NOT_EXIST
        if operator is Operator.IN or operator is Operator.NOT_IN:
            return (value in self.values) is (operator is Operator.IN)
        if operator is Operator.EXISTS or operator is Operator.DOES_NOT_EXIST:
            return operator is Operator.EXISTS
        return self._is_beyond(read_integer(value))

    def _is_beyond(self, number: int | None) -> bool:
        """Compare as integers: text that is none is neither greater nor less."""
        (text,) = self.values
        limit = read_integer(text)
        if number is None or limit is None:
            return False
        return number > limit if self.operator is Operator.GREATER_THAN else number < limit


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSelector:
    """Requirements that must hold together; none select everything."""

    requirements: tuple[Requirement, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels are selected."""
        return all(one.matches(labels) for one in self.requirements)


def read_integer(text: str) -> int | None:
    """An integer of 64 bits, or None."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -_LARGEST <= number < _LARGEST else None
