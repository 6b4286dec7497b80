"""An example of every setting, and settings read from a file and an environment that a test writes."""

import json
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from gateway.settings import InvalidSettings, Settings, read_settings

ROOT = Path(__file__).parents[1]
SOMETHING = {"GPU_GATEWAY_POSTGRES_DSN": "postgresql:///x"}
HERE = str(ROOT / "pyproject.toml")
"""A file that can be read."""
DURATION = 'is not a time with its unit, such as "500ms", "30s", "5m", "1h" or "2d"'
NAMESPACE = "is not a namespace: up to 63 of a-z, 0-9 and -"
READABLE = "is not a file or folder that can be read here"


class Example(NamedTuple):
    """One setting: its default, a value as text and as what it means, and a wrong one with its message."""

    default: object
    text: str
    value: object
    wrong: str
    says: str


SCALARS = {
    "host": Example("127.0.0.1", "::1", "::1", " ", "is not text in one line"),
    "port": Example(8000, "9000", 9000, "65536", "is not a whole number from 0 to 65535"),
    "log_level": Example("info", "DEBUG", "debug", "loud", "is not one of debug, info, warning, error"),
    "web": Example(ROOT / "web", HERE, Path(HERE), "/nowhere", READABLE),
    "stale_after": Example(timedelta(minutes=5), "90s", timedelta(seconds=90), "90", DURATION),
    "kubernetes_relist": Example(timedelta(hours=1), "2h", timedelta(hours=2), "-1h", DURATION),
    "slurm_poll": Example(timedelta(seconds=10), "500ms", timedelta(milliseconds=500), "0s", DURATION),
    "platform_resync": Example(timedelta(minutes=1), "1d", timedelta(days=1), "often", DURATION),
    "reasons_kept": Example(timedelta(days=30), "90d", timedelta(days=90), "for ever", DURATION),
    "postgres.dsn": Example(None, "postgresql:///y", "postgresql:///y", "", "is not text in one line"),
    "postgres.dsn_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
    "postgres.recorder_dsn": Example(
        None, "postgresql:///y", "postgresql:///y", "", "is not text in one line"
    ),
    "postgres.recorder_dsn_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
    "postgres.reconciler_dsn": Example(
        None, "postgresql:///y", "postgresql:///y", "", "is not text in one line"
    ),
    "postgres.reconciler_dsn_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
    "postgres.health_dsn": Example(None, "postgresql:///y", "postgresql:///y", "", "is not text in one line"),
    "postgres.health_dsn_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
    "cache.url": Example(None, "redis://valkey/1", "redis://valkey/1", "", "is not text in one line"),
    "cache.password_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
    "limits.max_body_bytes": Example(1_000_000, "5000", 5000, "1", "from 1000 to 100000000"),
    "limits.body_timeout": Example(timedelta(seconds=10), "2s", timedelta(seconds=2), "2", DURATION),
    "limits.max_tokens": Example(2000, "100", 100, "many", "from 10 to 1000000"),
    "limits.max_depth": Example(20, "30", 30, "151", "from 1 to 150"),
    "limits.max_aliases": Example(50, "0", 0, "-1", "from 0 to 10000"),
    "limits.max_directives": Example(100, "7", 7, "1.5", "from 0 to 10000"),
    "limits.cached_documents": Example(500, "1", 1, "x", "from 0 to 100000"),
    "controllers.port": Example(8001, "0", 0, "-1", "is not a whole number from 0 to 65535"),
    "controllers.drain_timeout": Example(timedelta(minutes=30), "1h", timedelta(hours=1), "0s", DURATION),
    "controllers.max_nodes_in_change": Example(1, "5", 5, "0", "is not a whole number from 1 to 1000"),
    "controllers.mig_label_adopt_from": Example(
        ("gpu-operator",),
        "helm, kubectl-label",
        ("helm", "kubectl-label"),
        "helm,,kubectl",
        "is not a list of names; in the environment they are separated by commas",
    ),
    "controllers.operator_namespace": Example("gpu-operator", "gpus", "gpus", "", NAMESPACE),
    "controllers.lease_namespace": Example("gpu-gateway", "leases", "leases", "", NAMESPACE),
}
CLUSTER = {
    "name": Example(None, "east", "east", "", "is not text in one line"),
    "kubeconfig": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
    "context": Example(None, "admin", "admin", "a\nb", "is not text in one line"),
    "in_cluster": Example(default=False, text="true", value=True, wrong="maybe", says="is not true or false"),
    "url": Example(None, "https://api:6443", "https://api:6443", "", "is not text in one line"),
    "token_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
    "ca_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
}
SLURM = {
    "name": Example(None, "island", "island", "", "is not text in one line"),
    "cluster": Example(None, "east", "east", "", "is not text in one line"),
    "url": Example(None, "http://slurmrestd:6820", "http://slurmrestd:6820", "", "is not text in one line"),
    "user": Example(None, "gateway", "gateway", "", "is not text in one line"),
    "token_file": Example(None, HERE, Path(HERE), "/nowhere", READABLE),
}


def read(tmp_path: Path, toml: str, **environ: str) -> Settings:
    file = tmp_path / "gateway.toml"
    file.write_text(toml)
    return read_settings({"GPU_GATEWAY_CONFIG": str(file), **environ})


def problems(tmp_path: Path, toml: str, **environ: str) -> list[str]:
    with pytest.raises(InvalidSettings) as refused:
        read(tmp_path, toml, **environ)
    return [problem.removeprefix(f"{tmp_path}/gateway.toml: ") for problem in refused.value.problems]


def toml_value(text: str) -> str:
    return text if text == "true" else json.dumps(text)


def toml_table(name: str, table: dict[str, str]) -> str:
    return f"[[{name}]]\n" + "\n".join(f"{key} = {value}" for key, value in table.items())
