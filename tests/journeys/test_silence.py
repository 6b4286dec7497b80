from collections import defaultdict
from pathlib import Path

import pytest
from graphql import get_named_type

from gateway.errors import System
from gateway.fleet.source import source_name
from schema.build import executable
from tests.asking import SCHEMA
from tests.journeys.difference import differences
from tests.journeys.fleets import (
    LOST,
    NEVER,
    STALE,
    all_of,
    heard,
)
from tests.journeys.silences import SILENCES

EVERYTHING = (Path(__file__).parent / "everything.graphql").read_text(encoding="utf-8")
STATES = {"never reached": NEVER, "lost": LOST}
CODES = {"never reached": "SOURCE_UNAVAILABLE", "lost": "SOURCE_STALE"}
LAST_HEARD = {"never reached": None, "lost": "2026-03-01T11:54:00Z"}
CASES = [(name, state) for name in SILENCES for state in STATES]


@pytest.fixture(scope="session")
def whole(rows):
    """The answer while every system speaks."""
    return heard(rows).data(EVERYTHING)


def hushed(rows, name, state):
    return heard(rows, all_of(SILENCES[name].keys, STATES[state])).ask(EVERYTHING)


def names_of(path):
    return ".".join(part for part in path if isinstance(part, str))


def by_path(found, kind):
    paths = defaultdict(set)
    for one in found:
        if one.kind == kind:
            paths[one.path].add(one.value)
    return paths


@pytest.mark.parametrize(("name", "state"), CASES)
def test_only_what_the_silent_system_knows_is_null_and_all_else_is_as_before(rows, whole, name, state):
    silence = SILENCES[name]

    found = list(differences(whole, hushed(rows, name, state)["data"]))

    assert {one.path for one in found if one.kind == "withheld"} == silence.paths
    assert by_path(found, "missing") == silence.missing
    assert by_path(found, "added") == silence.added | CATALOGUE_ALONE.get((name, state), {})
    assert by_path(found, "changed") == {}


CATALOGUE_ALONE = {
    ("platform", "never reached"): {
        "clusters.gpuTypes.products": {"NVIDIA-H100-PCIe"},
        "clusters.gpuTypes.slurmTypes": {"nvidia_h100_80gb_hbm3", "nvidia_h100_pcie"},
    }
}
"""Until the platform was read once, the shipped catalogue is the vocabulary."""


@pytest.mark.parametrize(("name", "state"), CASES)
def test_each_silent_field_is_one_error_that_says_whose_silence_it_is(rows, name, state):
    silence = SILENCES[name]

    errors = hushed(rows, name, state)["errors"]

    assert sorted(names_of(error["path"]) for error in errors) == sorted(silence.paths)
    for error in errors:
        count = error["extensions"].pop("count")
        assert count >= 1
        assert error["extensions"] == {
            "code": CODES[state],
            "system": silence.system.value,
            "observedAt": LAST_HEARD[state],
            "retryable": True,
        } | ({} if silence.system is System.PLATFORM else {"cluster": silence.keys[0].place})


@pytest.mark.parametrize(("name", "state"), CASES)
def test_a_field_is_silenced_only_by_a_system_that_its_origin_names(rows, name, state):
    """The directives and what lists need are true: no other system can make the field null."""
    system = SILENCES[name].system

    for error in hushed(rows, name, state)["errors"]:
        *above, field = (one.extensions["systems"] for one in fields_along(error["path"]))
        assert system in (field or above[-1]), names_of(error["path"])


def fields_along(path):
    """The field of the schema at each step of a path."""
    kind = executable(SCHEMA).query_type
    for name in names_of(path).split("."):
        field = kind.fields[name]
        yield field
        kind = get_named_type(field.type)


@pytest.mark.parametrize(("name", "state"), CASES)
def test_the_sources_say_which_of_them_is_silent(rows, name, state):
    answer = hushed(rows, name, state)
    silent = {source_name(key) for key in SILENCES[name].keys}
    word = {"never reached": "NEVER", "lost": "DOWN"}[state]

    states = {one["name"]: one["state"] for one in answer["data"]["sources"]}

    assert {one for one, said in states.items() if said != "FRESH"} == silent
    assert {states[one] for one in silent} == {word}
    assert {one["name"]: one["state"] for one in answer["extensions"]["sources"]} == states


@pytest.mark.parametrize("name", SILENCES)
def test_a_system_that_is_late_is_shown_with_its_age(rows, whole, name):
    keys = SILENCES[name].keys

    answer = heard(rows, all_of(keys, STALE)).ask(EVERYTHING)

    assert "errors" not in answer
    assert list(differences(whole, answer["data"])) == []
    late = [one for one in answer["extensions"]["sources"] if one["state"] != "FRESH"]
    assert {(one["state"], one["observedAt"]) for one in late} == {("STALE", "2026-03-01T11:58:00Z")}
    assert len(late) == len(keys)


def test_lines_of_the_account_for_one_scheduler_stand_while_the_other_is_silent(rows, whole):
    answer = heard(rows, all_of(SILENCES["slurm"].keys, LOST)).ask(EVERYTHING)

    def lines(data):
        owners = [*data["clusters"], *data["tenants"]["nodes"]]
        return [line for owner in owners for line in owner["capacity"] if line["target"] == "KUBERNETES"]

    assert lines(answer["data"]) == lines(whole)
    assert {line["physical"] for line in lines(whole)} == {2, 8, None}, "None: the machine of unknown type"
