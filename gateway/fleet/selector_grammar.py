"""The grammar of label selectors, as Kubernetes reads it (apimachinery 0.36.3)."""

import re
from dataclasses import dataclass
from typing import NoReturn

from gateway.errors import Invalid
from gateway.fleet.selector import LabelSelector, Operator, Requirement, read_integer

_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|\Z)")
_WORD = re.compile(r"[^=!(),<>]+")
_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_NAME, _LONGEST_DOMAIN = 63, 253
_MOST_QUOTED = 60
_OPERATORS = {
    "=": Operator.IN,
    "==": Operator.IN,
    "!=": Operator.NOT_IN,
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    ">": Operator.GREATER_THAN,
    "<": Operator.LESS_THAN,
}
_SETS = {"in", "notin"}
_NUMERIC = {Operator.GREATER_THAN, Operator.LESS_THAN}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    """A word or a sign, and where it starts; the end of the text is the empty one."""

    text: str
    at: int

    @property
    def is_word(self) -> bool:
        return _WORD.fullmatch(self.text) is not None


def parse_selector(text: str) -> LabelSelector:
    """Read a selector; one that Kubernetes would refuse is Invalid, with the place and the fix."""
    return LabelSelector(requirements=_Reading(text).requirements())


class _Reading:
    """Goes through a selector from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [_Token(text=found[1], at=found.start(1)) for found in _TOKEN.finditer(text)]
        self._next = 0

    def requirements(self) -> tuple[Requirement, ...]:
        """Read all of it; a comma stands between two."""
        read: list[Requirement] = []
        while self._ahead.text or read:
            read.append(self._requirement())
            if not self._ahead.text:
                break
            self._take(",", "put a comma between two requirements")
        return tuple(read)

    def _requirement(self) -> Requirement:
        excluded = self._skipped("!")
        key = self._word("write a label's key, or !key")
        _check_key(key, self)
        if excluded:
            return Requirement(key=key.text, operator=Operator.DOES_NOT_EXIST)
        if self._ahead.text in {"", ","}:
            return Requirement(key=key.text, operator=Operator.EXISTS)
        sign = self._advance()
        operator = _OPERATORS.get(sign.text)
        if operator is None:
            self.refuse(sign, "write =, ==, !=, in, notin, > or < after a key")
        values = self._set() if sign.text in _SETS else [self._value()]
        for value in values:
            _check_value(value, operator, self)
        return Requirement(key=key.text, operator=operator, values=frozenset(one.text for one in values))

    def _set(self) -> list[_Token]:
        """Read (a,b): an entry that is left out is the empty value."""
        self._take("(", "write the values in parentheses, as in (a,b)")
        values = [self._entry()]
        while self._skipped(","):
            values.append(self._entry())
        self._take(")", "separate values by commas and close them with )")
        return values

    def _entry(self) -> _Token:
        return self._advance() if self._ahead.is_word else _Token(text="", at=self._ahead.at)

    def _value(self) -> _Token:
        """Read the value after a sign: nothing is the empty value."""
        if self._ahead.text in {"", ","}:
            return _Token(text="", at=self._ahead.at)
        return self._word("write one value; several need in (a,b)")

    @property
    def _ahead(self) -> _Token:
        return self._tokens[self._next]

    def _advance(self) -> _Token:
        token = self._ahead
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def _skipped(self, sign: str) -> bool:
        return self._ahead.text == sign and bool(self._advance())

    def _take(self, sign: str, fix: str) -> None:
        if not self._skipped(sign):
            self.refuse(self._ahead, fix)

    def _word(self, fix: str) -> _Token:
        if not self._ahead.is_word:
            self.refuse(self._ahead, fix)
        return self._advance()

    def refuse(self, token: _Token, fix: str) -> NoReturn:
        """Say where the selector goes wrong, and what would be right."""
        found = (
            repr(_short(token.text))
            if token.text
            else "the end"
            if token.at == len(self._text)
            else "no value"
        )
        at = f"found {found} at character {token.at + 1}"
        raise Invalid(f"labelSelector: {_short(self._text)!r} is no label selector: {at}: {fix}")


def _check_key(key: _Token, reading: _Reading) -> None:
    domain, slash, name = key.text.rpartition("/")
    if slash and (len(domain) > _LONGEST_DOMAIN or not _DOMAIN.fullmatch(domain)):
        reading.refuse(key, "a key's prefix is a DNS name in lower case, as in example.com/name")
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        reading.refuse(
            key, "a key's name is 1 to 63 of A-Z a-z 0-9 - _ . with a letter or digit at both ends"
        )


def _check_value(value: _Token, operator: Operator, reading: _Reading) -> None:
    if operator in _NUMERIC and read_integer(value.text) is None:
        reading.refuse(value, "> and < compare with an integer of 64 bits")
    if value.text and (len(value.text) > _LONGEST_NAME or not _NAME.fullmatch(value.text)):
        reading.refuse(
            value, "a value is at most 63 of A-Z a-z 0-9 - _ . with a letter or digit at both ends"
        )


def _short(text: str) -> str:
    return text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}..."
