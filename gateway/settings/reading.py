"""Read the settings: the file that GPU_GATEWAY_CONFIG names, then GPU_GATEWAY_* over it for every scalar."""

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from gateway.settings.model import Settings
from gateway.settings.problems import InvalidSettings
from gateway.settings.rules import contradictions
from gateway.settings.values import rule_of

PREFIX = "GPU_GATEWAY_"
CONFIG = f"{PREFIX}CONFIG"

T = TypeVar("T")


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings, or InvalidSettings with every mistake."""
    given = os.environ if environ is None else environ  # noqa: TID251 - this is where it is read
    reader = _Reader(_named_settings(given))
    path = given.get(CONFIG)
    values = reader.values(Settings, reader.document(path), path or "", PREFIX)
    settings = Settings(**values)
    reader.refuse_leftovers()
    reader.problems += contradictions(settings, whole=not reader.problems)
    if reader.problems:
        raise InvalidSettings(reader.problems)
    return settings


def _named_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """What of the environment is ours.

    Kubernetes describes a Service named gpu-gateway to its pods in variables that look like settings.
    """
    return {
        name: value
        for name, value in environ.items()
        if name.startswith(PREFIX) and name != CONFIG and not _is_service_link(name, value)
    }


def _is_service_link(name: str, value: str) -> bool:
    link = name.removeprefix(PREFIX)
    return link.startswith(("SERVICE_", "PORT_")) or (link == "PORT" and "://" in value)


class _Reader:
    """Collects mistakes instead of stopping at the first."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.problems: list[str] = []
        self._environ = environ

    def document(self, path: str | None) -> Mapping[str, Any]:
        """The file's tables; empty without a file."""
        if path is None:
            return {}
        try:
            return tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            self.problems.append(f"{CONFIG}: {path} cannot be read: {error.strerror}")
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            self.problems.append(f"{path}: is not TOML: {error}")
        return {}

    def values(self, kind: type, table: Mapping[str, Any], where: str, prefix: str | None) -> dict[str, Any]:
        """What one table says that is right; its entries of lists have no variables."""
        self._refuse_unknown(kind, table, where)
        hints = get_type_hints(kind, include_extras=True)
        values: dict[str, Any] = {}
        for setting in fields(kind):
            self._read(setting, hints[setting.name], (table, where, prefix), values)
        return values

    def _section(self, kind: type[T], table: object, where: str, prefix: str | None) -> T | None:
        """One table as its dataclass; None where something of it is wrong."""
        if not isinstance(table, Mapping):
            self.problems.append(f"{where}: must be a table")
            return None
        before = len(self.problems)
        values = self.values(kind, table, where, prefix)
        return kind(**values) if len(self.problems) == before else None

    def refuse_leftovers(self) -> None:
        """Variables that name no setting."""
        for name in sorted(self._environ):
            self.problems.append(f"{name}: there is no such setting (docs/settings.md lists them)")

    def _read(
        self,
        setting: "Field[Any]",
        hint: Any,  # noqa: ANN401 - an annotation may be anything
        place: tuple[Mapping[str, Any], str, str | None],
        values: dict[str, object],
    ) -> None:
        table, where, prefix = place
        name = setting.name
        spot = f"{where}: {name}" if where else name
        if is_dataclass(hint):
            inner = prefix and f"{prefix}{name.upper()}_"
            section = self._section(hint, table.get(name, {}), spot, inner)  # type: ignore[arg-type]  # a class
            values |= {name: section} if section else {}
        elif get_args(hint) and is_dataclass(get_args(hint)[0]):
            values[name] = self._list(get_args(hint)[0], table.get(name, []), spot)
        else:
            self._scalar(setting, hint, self._given(name, table, spot, prefix), values)

    def _list(self, kind: Any, tables: object, spot: str) -> tuple[object, ...]:  # noqa: ANN401 - a class
        if not isinstance(tables, list):
            self.problems.append(f"{spot}: must be tables: write [[{spot.rpartition(' ')[2]}]]")
            return ()
        found = (self._section(kind, table, f"{spot}[{i}]", None) for i, table in enumerate(tables))
        return tuple(section for section in found if section is not None)

    def _given(
        self, name: str, table: Mapping[str, Any], spot: str, prefix: str | None
    ) -> tuple[str, object]:
        """Where a value stands and what it is; the environment wins."""
        variable = f"{prefix}{name.upper()}"
        if prefix is not None and variable in self._environ:
            return variable, self._environ.pop(variable)
        return spot, table.get(name, MISSING)

    def _scalar(
        self,
        setting: "Field[Any]",
        hint: Any,  # noqa: ANN401 - an annotation may be anything
        given: tuple[str, object],
        values: dict[str, object],
    ) -> None:
        spot, value = given
        if value is MISSING:
            if setting.default is MISSING and setting.default_factory is MISSING:
                self.problems.append(f"{spot}: is missing")
            return
        rule = rule_of(hint)
        try:
            values[setting.name] = rule.read(value)
        except (ValueError, OSError):
            self.problems.append(f"{spot}: {value!r} is not {rule.wanted}")

    def _refuse_unknown(self, kind: Any, table: Mapping[str, Any], where: str) -> None:  # noqa: ANN401 - a class
        known = [setting.name for setting in fields(kind)]
        for key in table:
            if key not in known:
                self.problems.append(f"{where}: {key}: there is no such setting{_guess(key, known)}")


def _guess(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), 1)
    return f"; is it {close[0]}?" if close else ""
