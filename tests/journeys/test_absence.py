"""What is not there is null without a word: no Volcano, no platform records, no Slurm."""

from pathlib import Path

import pytest

from gateway.errors import System
from tests.journeys.difference import differences
from tests.journeys.fleets import (
    ABSENT,
    POD_GROUPS,
    QUEUES,
    RECORDS,
    SCHEDULER,
    all_of,
    heard,
)
from tests.journeys.silences import SILENCES

EVERYTHING = (Path(__file__).parent / "everything.graphql").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def whole(rows):
    """The answer while every system is there."""
    return heard(rows).data(EVERYTHING)


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
