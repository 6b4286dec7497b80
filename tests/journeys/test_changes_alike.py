"""Every change of every machine of the demo: dialog, dry run, change and history say the same."""

import asyncio

import pytest

from tests.journeys.changing import node, serving_the_demo

NAMES = '{ cluster(name: "fleet") { nodes(first: 200, filter: {includeNonGpu: true}) { nodes { name } } } }'
IMPACT = "query ($of: ImpactInput!) { impact(of: $of) { workloads { id } } }"
HISTORY = """query ($name: String!, $first: Int!) { node(cluster: "fleet", name: $name) {
  history(first: $first) { nodes { field before after generation } }
} }"""
SLICES = {"devices": [0], "profiles": [{"profile": "1g.10gb", "count": 2}]}
ASKED = [
    ("setCordon", {"cordoned": True, "reason": 'a "fan"\nis loud'}),
    ("setMigLayout", {"layout": {"config": "all-1g.10gb"}}),
    ("setMigLayout", {"layout": {"cards": [SLICES, {"devices": [1], "profiles": []}]}}),
    ("setMigLayout", {"layout": None}),
    ("releaseNode", {}),
    ("assignNode", {"tenant": "nobody", "target": "KUBERNETES"}),
    ("assignNode", {"tenant": "robotics", "target": "SLURM"}),
    ("setCordon", {"cordoned": False}),
]


@pytest.fixture(scope="module")
async def client():
    async with serving_the_demo() as client:
        yield client


async def on_every_machine(client, check):
    """Machines have nothing to do with one another, so all are tried at once."""
    found = (await client.data(NAMES))["cluster"]["nodes"]["nodes"]
    async with asyncio.timeout(60), asyncio.TaskGroup() as trials:
        for one in found:
            trials.create_task(check(client, one["name"]))


async def dialog_is_like_dry_run(client, name):
    for mutation, how in ASKED:
        asked = {"node": node(name), **how}
        shown, problem = await dialog_and_dry_run(client, mutation, asked)
        hurt = shown["data"]["impact"] and {one["id"] for one in shown["data"]["impact"]["workloads"]}
        if problem is None:
            assert hurt == set(), (name, mutation)
        elif problem["code"] == "WORKLOADS_RUNNING":
            assert hurt == {one["id"] for one in problem["unacknowledged"]}, (name, mutation)
        elif problem["code"] == "NOT_FOUND":
            assert shown["errors"][0]["extensions"]["code"] == "NOT_FOUND", (name, mutation)


async def dialog_and_dry_run(client, mutation, asked):
    """Both of one moment: in the demo work comes and goes meanwhile."""
    shown = None
    while shown is None or shown["data"] != (await client.ask(IMPACT, of={mutation: asked}))["data"]:
        shown = await client.ask(IMPACT, of={mutation: asked})
        problem = (await client.change(mutation, **asked, dryRun=True))["problem"]
    return shown, problem


async def change_is_like_dry_run_and_history(client, name):
    for mutation, how in ASKED:
        tried, made = await dry_run_and_change(client, mutation, {"node": node(name), **how})
        assert (made["changes"], made["problem"]) == (tried["changes"], tried["problem"]), (name, mutation)
        if made["changes"]:
            assert made["generation"] > tried["generation"]
            past = await client.data(HISTORY, name=name, first=len(made["changes"]))
            kept = past["node"]["history"]["nodes"]
            assert {one.pop("generation") for one in kept} == {made["generation"]}
            assert {one["field"]: one for one in kept} == {one["field"]: one for one in made["changes"]}


async def dry_run_and_change(client, mutation, asked):
    """Whatever runs there is acknowledged, until nothing came in between."""
    acknowledged = []
    while True:
        given = {**asked, "acknowledgedWorkloads": acknowledged} if acknowledged else asked
        tried = await client.change(mutation, **given, dryRun=True)
        made = await client.change(mutation, **given)
        left = (made["problem"] or {}).get("unacknowledged")
        if not left:
            return tried, made
        acknowledged += [one["id"] for one in left]


async def test_the_dialog_shows_the_work_that_the_change_is_refused_for(client):
    await on_every_machine(client, dialog_is_like_dry_run)


async def test_what_is_tried_is_what_is_made_and_what_is_made_is_what_is_remembered(client):
    await on_every_machine(client, change_is_like_dry_run_and_history)
