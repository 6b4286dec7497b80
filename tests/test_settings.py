from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from gateway.settings import (
    ClusterSettings,
    LimitSettings,
    PostgresSettings,
    Settings,
    SlurmSettings,
)
from gateway.settings.document import settings_document
from tests.setting_examples import (
    CLUSTER,
    ROOT,
    SCALARS,
    SLURM,
    SOMETHING,
    problems,
    read,
    toml_table,
    toml_value,
)


def scalars(kind: type, path: str = "") -> set[str]:
    """The settings of a section that stand in no list."""
    found: set[str] = set()
    for name, hint in get_type_hints(kind).items():
        if is_dataclass(hint):
            found |= scalars(hint, f"{name}.")
        elif not any(is_dataclass(part) for part in get_args(hint)):
            found.add(path + name)
    return found


def looked_up(settings: Settings, path: str) -> object:
    value: Any = settings
    for name in path.split("."):
        value = getattr(value, name)
    return value


def variable(path: str) -> str:
    return f"GPU_GATEWAY_{path.replace('.', '_').upper()}"


def besides(path: str) -> dict[str, str]:
    """What makes settings complete that have only this one."""
    if path == "cache.password_file":
        return {**SOMETHING, "GPU_GATEWAY_CACHE_URL": "redis://valkey"}
    return {} if path.startswith("postgres") else SOMETHING


def in_file(path: str, text: str) -> str:
    section, _, name = path.rpartition(".")
    value = text if text.isdigit() else f'"{text}"'
    return f"[{section}]\n{name} = {value}" if section else f"{name} = {value}"


def test_every_setting_has_an_example_here():
    assert set(SCALARS) == scalars(Settings)
    assert set(CLUSTER) == {setting.name for setting in fields(ClusterSettings)}
    assert set(SLURM) == {setting.name for setting in fields(SlurmSettings)}


@pytest.mark.parametrize("path", SCALARS)
def test_each_setting_has_a_default(path):
    assert looked_up(Settings(), path) == SCALARS[path].default


@pytest.mark.parametrize("path", SCALARS)
def test_each_setting_is_read_from_the_file(path, tmp_path):
    settings = read(tmp_path, in_file(path, SCALARS[path].text), **besides(path))

    assert looked_up(settings, path) == SCALARS[path].value


@pytest.mark.parametrize("path", SCALARS)
def test_the_environment_wins_over_the_file(path, tmp_path):
    file = in_file(path, SCALARS[path].wrong)

    settings = read(tmp_path, file, **besides(path), **{variable(path): SCALARS[path].text})

    assert looked_up(settings, path) == SCALARS[path].value


@pytest.mark.parametrize("path", SCALARS)
def test_a_wrong_value_is_named_with_what_is_wanted(path, tmp_path):
    example = SCALARS[path]

    from_file = problems(tmp_path, in_file(path, example.wrong), **besides(path))
    from_environment = problems(tmp_path, "", **{**SOMETHING, variable(path): example.wrong})

    section, _, name = path.rpartition(".")
    place = f"{section}: {name}" if section else name
    assert any(line.startswith(f"{place}: ") and line.endswith(example.says) for line in from_file)
    assert any(
        line.startswith(f"{variable(path)}: ") and line.endswith(example.says) for line in from_environment
    )


@pytest.mark.parametrize("name", CLUSTER)
def test_each_setting_of_a_cluster_is_read(name, tmp_path):
    example = CLUSTER[name]
    way = {"name": "url", "token_file": "url", "ca_file": "url", "context": "kubeconfig"}.get(name, name)
    table = {key: toml_value(CLUSTER[key].text) for key in ("name", way, name)}

    (cluster,) = read(tmp_path, toml_table("clusters", table)).clusters

    assert getattr(cluster, name) == example.value


@pytest.mark.parametrize("name", CLUSTER)
def test_a_wrong_value_of_a_cluster_is_named(name, tmp_path):
    table = {"name": '"east"', name: toml_value(CLUSTER[name].wrong)}

    (problem, *_) = problems(tmp_path, toml_table("clusters", table))

    assert problem.startswith(f"clusters[0]: {name}: ")
    assert problem.endswith(CLUSTER[name].says)


@pytest.mark.parametrize("name", SLURM)
def test_each_setting_of_a_slurm_is_read(name, tmp_path):
    table = {key: toml_value(SLURM[key].text) for key in ("name", "cluster", "url", name)}

    (slurm,) = read(tmp_path, toml_table("slurms", table)).slurms

    assert getattr(slurm, name) == SLURM[name].value


@pytest.mark.parametrize("name", SLURM)
def test_a_wrong_value_of_a_slurm_is_named(name, tmp_path):
    table = {key: toml_value(SLURM[key].text) for key in ("name", "cluster", "url")}

    (problem, *_) = problems(tmp_path, toml_table("slurms", table | {name: toml_value(SLURM[name].wrong)}))

    assert problem.startswith(f"slurms[0]: {name}: ")
    assert problem.endswith(SLURM[name].says)


def test_the_page_is_what_the_code_says():
    written = (ROOT / "docs" / "settings.md").read_text()

    assert written == settings_document(), "run: python -m gateway.settings > docs/settings.md"


def test_the_page_has_every_setting_with_its_variable():
    page = settings_document()

    for path in SCALARS:
        assert f"**`{path.rpartition('.')[2]}`** · `{variable(path)}`" in page
    for kind in (ClusterSettings, SlurmSettings, LimitSettings, PostgresSettings):
        assert all(f"**`{setting.name}`**" in page for setting in fields(kind))
