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
    ABSENT,
    LOST,
    NEVER,
    NODES,
    POD_GROUPS,
    QUEUES,
    RECORDS,
    SCHEDULER,
    SLURM_NODES,
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


def why(answer, *path):
    found = answer["data"]
    for part in path:
        found = found[part]
    return {one["field"]: (one["code"], one["system"]) for one in found["unknowns"]}


UNKNOWNS = """query ($name: String!) {
  node(cluster: "fleet", name: $name) { unknowns { field code system } }
}"""


@pytest.mark.parametrize(
    ("name", "node", "fields"),
    [
        (
            "nodes",
            "whole",
            {"ready", "cordoned", "taints", "labels", "conditions", "gpus", "migSlices", "health"},
        ),
        ("pods", "cut", {"pods", "workloads", "busy", "migSlices[nvidia.com/mig-1g.10gb].pods"}),
        (
            "pods",
            "whole",
            {"gpus.resources[nvidia.com/gpu].requested", "gpus.resources[nvidia.com/gpu].free"},
        ),
        (
            "platform",
            "whole",
            {"target", "tenant", "costPerHour", "gpus.type.pricePerHour", "gpus.type.prices"},
        ),
        ("slurm", "island", {"gpus", "health", "slurm", "busy", "workloads", "costPerHour"}),
    ],
)
def test_the_unknowns_of_a_machine_list_what_is_silent(rows, name, node, fields):
    silence = SILENCES[name]
    answer = heard(rows, all_of(silence.keys, NEVER)).ask(UNKNOWNS, name=node)

    listed = why(answer, "node")

    assert fields <= listed.keys()
    assert set(listed.values()) == {("SOURCE_UNAVAILABLE", silence.system.value)}
    assert "errors" not in answer, "to list what is unknown asks nothing of it"


def test_the_unknowns_of_a_workspace_and_of_what_it_was_given_list_what_is_silent(rows):
    gateway = heard(rows, all_of((QUEUES, POD_GROUPS), LOST))

    answer = gateway.ask(
        """{ workspace(tenant: "vision", name: "training") {
            unknowns { field code system }
            allocations { unknowns { field code system } }
        } }"""
    )

    assert why(answer, "workspace") == {"queue": ("SOURCE_STALE", "QUEUES")}
    assert why(answer, "workspace", "allocations", 0).keys() == {"used", "headroom", "borrowed"}


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("platform", 'nodes(filter: {tenants: ["vision"]}) { totalCount }'),
        ("platform", "nodes(filter: {targets: [KUBERNETES]}) { totalCount }"),
        ("platform", "nodes(filter: {unassigned: true}) { totalCount }"),
        ("platform", 'migSlices(filter: {tenants: ["vision"]}) { totalCount }'),
        ("platform", 'pods(filter: {workspace: {tenant: "vision", name: "training"}}) { totalCount }'),
        ("queues", 'pods(filter: {queue: "vision"}) { totalCount }'),
        ("slurm", 'nodes(filter: {gpuTypes: ["H100-80GB"]}) { totalCount }'),
    ],
)
def test_a_filter_on_a_silent_system_is_that_systems_error(rows, name, asked):
    silence = SILENCES[name]
    gateway = heard(rows, all_of(silence.keys, LOST))
    query = f'{{ cluster(name: "fleet") {{ {asked} }} }}'

    error = gateway.refusal(query)

    assert gateway.ask(query)["data"] == {"cluster": {asked.split("(")[0]: None}}
    assert error["path"] == ["cluster", asked.split("(")[0]]
    assert (error["extensions"]["code"], error["extensions"]["system"]) == (
        "SOURCE_STALE",
        silence.system.value,
    )
    assert silence.system.value in {one["system"] for one in gateway.ask(query)["extensions"]["sources"]}


def test_a_tenants_machines_of_a_silent_cluster_are_not_filtered_away(rows):
    gateway = heard(rows, all_of(SILENCES["nodes"].keys, LOST))

    error = gateway.refusal(
        '{ tenant(name: "vision") { nodes(filter: {gpuTypes: ["H100-80GB"]}) { totalCount } } }'
    )

    assert (error["path"], error["extensions"]["system"]) == (["tenant", "nodes"], "KUBERNETES")


@pytest.mark.parametrize(
    ("asked", "system"),
    [
        ('node(cluster: "fleet", name: "nobody") { name }', "KUBERNETES"),
        ('tenant(name: "nobody") { name }', "PLATFORM"),
        ('workspace(tenant: "vision", name: "nobody") { name }', "PLATFORM"),
        ('pod(cluster: "fleet", namespace: "vision", name: "nobody") { name }', "KUBERNETES"),
        ('slurmJob(slurmCluster: "slurm", jobId: "999") { name }', "SLURM"),
    ],
)
def test_nobody_is_said_not_to_be_there_by_a_system_that_is_silent(rows, asked, system):
    gateway = heard(rows, dict.fromkeys(rows, LOST))

    assert gateway.refusal(f"{{ {asked} }}")["extensions"]["system"] == system


def test_a_machine_that_only_a_silent_system_may_know_is_not_said_to_be_gone(rows):
    gateway = heard(rows, all_of(SILENCES["slurm"].keys, LOST))

    error = gateway.refusal('{ node(cluster: "fleet", name: "nobody") { name } }')

    assert error["extensions"]["system"] == "SLURM"


def test_the_machines_of_a_job_are_null_while_only_slurms_silent_nodes_may_know_them(rows):
    asked = '{ slurmJob(slurmCluster: "slurm", jobId: "7") { nodes { name } node { name } } }'
    others_know = heard(rows, {SLURM_NODES: LOST})
    nobody_knows = heard({**rows, NODES: {}, RECORDS: {}}, {SLURM_NODES: LOST})

    assert others_know.data(asked)["slurmJob"] == {"nodes": [{"name": "both"}], "node": {"name": "both"}}
    answer = nobody_knows.ask(asked)
    assert answer["data"]["slurmJob"] == {"nodes": None, "node": None}
    assert [error["extensions"]["system"] for error in answer["errors"]] == ["SLURM", "SLURM"]


def test_a_cluster_without_volcano_has_no_queues_and_nothing_is_silent(rows, whole):
    answer = heard(rows, all_of((QUEUES, POD_GROUPS, SCHEDULER), ABSENT)).ask(EVERYTHING)

    found = list(differences(whole, answer["data"]))

    assert "errors" not in answer
    assert {one.path for one in found} == {one.path for one in found if one.kind == "withheld"}
    assert {one.path for one in found} == SILENCES["queues"].paths
    assert {one["state"] for one in answer["extensions"]["sources"] if one["system"] == "QUEUES"} == {
        "ABSENT"
    }
    unknowns = [one for tenant in answer["data"]["tenants"]["nodes"] for one in tenant["workspaces"]["nodes"]]
    assert [one["unknowns"] for one in unknowns] == [[]]


def test_without_platform_records_there_are_no_tenants_and_every_machine_is_unmanaged(rows):
    gateway = heard(rows, {RECORDS: ABSENT})

    answer = gateway.data(EVERYTHING)

    assert answer["tenants"] is None
    (cluster,) = answer["clusters"]
    assert {line["target"] for line in cluster["capacity"]} == {None}
    assert {line["allocated"] for line in cluster["capacity"]} == {None}
    physical = {(line["gpuType"] or {}).get("name"): line["physical"] for line in cluster["capacity"]}
    assert physical == {"A100-80GB": 2, "H100-80GB": 20, "T4-16GB": 1, None: None}
    assert {one["prices"] for one in map(dict, cluster["gpuTypes"])} == {None}
    assert {tuple(one["unknowns"]) for one in cluster["nodes"]["nodes"] if one["name"] != "odd"} == {()}


def test_without_a_slurm_nothing_is_silent_and_machines_are_told_by_the_others(rows, whole):
    answer = heard({key: told for key, told in rows.items() if key.system is not System.SLURM}).data(
        EVERYTHING
    )

    (cluster,), (before,) = answer["clusters"], whole["clusters"]
    assert cluster["slurmJobs"] is None
    assert cluster["nodes"]["totalCount"] == 7
    island = next(one for one in cluster["nodes"]["nodes"] if one["name"] == "island")
    assert (island["knownTo"], island["slurm"], island["gpus"], island["unknowns"]) == (
        ["PLATFORM"],
        None,
        None,
        [],
    )
    assert [cluster[name] for name in ("queues", "pods", "migSlices")] == [
        before[name] for name in ("queues", "pods", "migSlices")
    ]
