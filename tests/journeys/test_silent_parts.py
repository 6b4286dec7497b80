"""What `unknowns`, filters and look-ups say while a system is silent."""

import pytest

from tests.journeys.fleets import (
    LOST,
    NEVER,
    NODES,
    POD_GROUPS,
    QUEUES,
    RECORDS,
    SLURM_NODES,
    all_of,
    heard,
)
from tests.journeys.silences import SILENCES


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
