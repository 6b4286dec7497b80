"""docs/settings.md, made of the settings, so that it cannot differ from them."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints

from gateway.settings import model
from gateway.settings.model import (
    CacheSettings,
    ClusterSettings,
    ControllerSettings,
    LimitSettings,
    PostgresSettings,
    Settings,
    SlurmSettings,
)
from gateway.settings.reading import PREFIX
from gateway.settings.values import Rule, rule_of

_HEAD = """# Settings

<!-- Written by `python -m gateway.settings`; change gateway/settings/model.py instead. -->

One TOML file, named by `GPU_GATEWAY_CONFIG`, and a variable of the environment over it for every scalar.
Every mistake is told at once, with the setting and the fix.
Paths are relative to where the gateway is started.
A secret stands in a file of its own and is only named here.

```toml
stale_after = "5m"

[postgres]
dsn_file = "/etc/gpu-gateway/dsn"

[[clusters]]
name = "fleet"
kubeconfig = "/etc/gpu-gateway/kubeconfig"

[[slurms]]
name = "island"
cluster = "fleet"
url = "http://slurmrestd:6820"
token_file = "/etc/gpu-gateway/slurm.jwt"
```
"""
_SECTIONS: tuple[tuple[str, type, str | None], ...] = (
    ("At the top of the file", Settings, PREFIX),
    ("[postgres]", PostgresSettings, f"{PREFIX}POSTGRES_"),
    ("[cache]", CacheSettings, f"{PREFIX}CACHE_"),
    ("[limits]", LimitSettings, f"{PREFIX}LIMITS_"),
    ("[controllers]", ControllerSettings, f"{PREFIX}CONTROLLERS_"),
    ("[[clusters]]", ClusterSettings, None),
    ("[[slurms]]", SlurmSettings, None),
)


def settings_document() -> str:
    """The whole page."""
    return _HEAD + "".join(_section(title, kind, prefix) for title, kind, prefix in _SECTIONS)


def _section(title: str, kind: type, prefix: str | None) -> str:
    hints = get_type_hints(kind, include_extras=True)
    texts = _docstrings(kind)
    lines = [f"\n## {title}\n\n{inspect.getdoc(kind)}\n"]
    for setting in _scalars(kind):
        rule = rule_of(hints[setting.name])
        variable = f" · `{prefix}{setting.name.upper()}`" if prefix else ""
        lines.append(f"\n**`{setting.name}`**{variable} · {_facts(setting, rule)}  \n{texts[setting.name]}\n")
    return "".join(lines)


def _scalars(kind: Any) -> Iterator["Field[Any]"]:  # noqa: ANN401 - a class
    """The settings of a section that are not sections themselves."""
    texts = _docstrings(kind)
    return (setting for setting in fields(kind) if setting.name in texts)


def _facts(setting: "Field[Any]", rule: Rule) -> str:
    if setting.default is MISSING:
        return f"{rule.wanted}; required"
    if setting.default is None or isinstance(setting.default, Path):
        return rule.wanted
    return f"{rule.wanted}; default `{_written(setting.default)}`"


def _written(value: object) -> str:
    """A default as it would be written in the file."""
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
        sizes = ((3600, "h"), (60, "m"), (1, "s"))
        return next(f'"{seconds / size:g}{unit}"' for size, unit in sizes if seconds % size == 0)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _docstrings(kind: type) -> dict[str, str]:
    """The sentence under each attribute; Python keeps it in the source only."""
    module = ast.parse(inspect.getsource(model))
    body = next(
        node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    )
    found: dict[str, str] = {}
    for attribute, text in pairwise(body):
        if isinstance(attribute, ast.AnnAssign) and isinstance(text, ast.Expr):
            found[ast.unparse(attribute.target)] = " ".join(str(ast.literal_eval(text.value)).split())
    return found
