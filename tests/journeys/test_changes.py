"""Changes over HTTP on the demo's fleet and a real PostgreSQL: each mutation, and what is against it."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from tests.journeys.changing import node, serving_the_demo

DESIRED = """{ node(cluster: "fleet", name: "gpu-h100-01") {
  desired { cordoned cordonReason generation }
} }"""
CHANGES = (Path(__file__).parent / "changes.graphql").read_text(encoding="utf-8")
HISTORY = """query ($name: String!) { node(cluster: "fleet", name: $name) { history {
  totalCount nodes { field writer actor before after generation }
} } }"""


@pytest.fixture(scope="module")
async def client():
    async with serving_the_demo() as client:
        yield client


def changes(payload):
    assert payload["problem"] is None, payload["problem"]
    return {one["field"]: (one["before"], one["after"]) for one in payload["changes"]}


def code(payload):
    assert payload["changes"] == []
    return payload["problem"]["code"]


async def test_a_cordon_is_asked_for_and_the_next_read_shows_it(client):
    made = await client.change("setCordon", node=node("gpu-h100-01"), cordoned=True, reason="a fan is loud")
    read = await client.data(DESIRED)

    assert changes(made) == {
        "desired.cordoned": ("false", "true"),
        "desired.cordonReason": (None, "a fan is loud"),
    }
    assert (made["generation"], made["node"]["desired"]["changedBy"]) == (1, "anonymous")
    assert read["node"]["desired"] == {"cordoned": True, "cordonReason": "a fan is loud", "generation": 1}


async def test_history_tells_who_asked_for_what(client):
    for cordoned in (True, False):
        await client.change("setCordon", node=node("gpu-h100-02"), cordoned=cordoned)

    told = (await client.data(HISTORY, name="gpu-h100-02"))["node"]["history"]

    assert told["nodes"][:2] == [
        {
            "field": "desired.cordoned",
            "writer": "API",
            "actor": "anonymous",
            "before": str(not cordoned).lower(),
            "after": str(cordoned).lower(),
            "generation": generation,
        }
        for cordoned, generation in ((False, 2), (True, 1))
    ]
    assert told["totalCount"] == len(told["nodes"])


async def test_a_dry_run_tells_the_same_as_the_change_and_writes_nothing(client):
    asked = {"node": node("gpu-h100-03"), "cordoned": True, "reason": "soon"}
    before = await client.data(HISTORY, name="gpu-h100-03")

    tried = await client.change("setCordon", **asked, dryRun=True)
    assert await client.data(HISTORY, name="gpu-h100-03") == before
    made = await client.change("setCordon", **asked, ifGeneration=tried["generation"])

    assert tried["changes"] == made["changes"]
    assert (tried["generation"], tried["node"]["desired"], tried["dryRun"]) == (0, None, True)


async def test_every_change_can_be_tried_in_one_document_and_none_is_made(client):
    asked = {
        "workspace": {"tenant": "language", "name": "serving"},
        "type": "H100-80GB",
        "node": node("gpu-t4-03"),
    }
    before = await client.data(HISTORY, name="gpu-t4-03")

    tried = await client.data(CHANGES, "Changes", **asked)
    hurt = await client.data(CHANGES, "Before", node=asked["node"])

    assert {name: one["problem"] and one["problem"]["code"] for name, one in tried.items()} == {
        "setCordon": None,
        "setMigLayout": "UNDETERMINED",
        "assignNode": "FOREIGN_OWNER",
        "releaseNode": "WORKLOADS_RUNNING",
        "setAllocation": None,
        "setPrice": None,
        "setPause": "NOT_FOUND",
    }
    assert tried["setAllocation"]["changes"] == [{"field": "cards", "before": "6", "after": "8"}]
    assert {one["dryRun"] for one in tried.values()} == {True}
    assert hurt["impact"]["workloads"] == []
    assert await client.data(HISTORY, name="gpu-t4-03") == before


async def test_who_looked_too_early_is_told_the_generation_that_there_is(client):
    await client.change("setCordon", node=node("gpu-h100-04"), cordoned=True)

    late = await client.change("setCordon", node=node("gpu-h100-04"), cordoned=False, ifGeneration=0)

    assert code(late) == "GENERATION_CONFLICT"
    assert late["problem"]["currentGeneration"] == 1
    assert late["node"]["desired"]["cordoned"] is True


async def test_the_same_key_changes_once_and_another_input_is_no_repeat(client):
    asked = {"node": node("gpu-h100-05"), "idempotencyKey": "ticket-42"}

    first = await client.change("setCordon", **asked, cordoned=True, ifGeneration=0)
    again = await client.change("setCordon", **asked, cordoned=True, ifGeneration=0)
    other = await client.change("setCordon", **asked, cordoned=False)

    assert (again["changes"], again["generation"]) == (first["changes"], 1)
    assert code(other) == "KEY_REUSED"


async def test_eight_callers_with_one_key_change_once(client):
    asked = {"node": node("gpu-h100-06"), "cordoned": True, "idempotencyKey": "ticket-43"}

    answers = await asyncio.gather(*(client.change("setCordon", **asked) for _ in range(8)))

    assert {answer["generation"] for answer in answers} == {1}
    assert all(answer["changes"] == answers[0]["changes"] for answer in answers)


async def test_work_is_named_and_whoever_names_it_may_cut_the_cards(client):
    asked = {"node": node("gpu-a100-01"), "layout": {"config": "all-1g.10gb"}}

    refused = await client.change("setMigLayout", **asked)
    assert code(refused) == "WORKLOADS_RUNNING"
    ids = [one["id"] for one in refused["problem"]["unacknowledged"]]
    hurt = (await client.data(IMPACT, of={"setMigLayout": asked}))["impact"]
    made = await client.change("setMigLayout", **asked, acknowledgedWorkloads=ids)

    assert {one["id"] for one in hurt["workloads"]} == set(ids)
    assert hurt["evicts"] is True
    assert changes(made)["desired.migLayout"] == (None, '{config: "all-1g.10gb"}')
    assert made["node"]["desired"]["migLayout"] == {"config": "all-1g.10gb"}


IMPACT = (
    "query ($of: ImpactInput!) { impact(of: $of) { workloads { id } notRecreated { id } evicts message } }"
)


async def test_a_layout_that_no_card_can_have_names_what_it_could(client):
    cards = [{"profiles": [{"profile": "1g.10gb", "count": 8}]}]

    refused = await client.change("setMigLayout", node=node("gpu-a100-02"), layout={"cards": cards})

    assert code(refused) == "INVALID_MIG_LAYOUT"
    assert refused["problem"]["card"] == 0
    assert "1g.10gb" in {one["name"] for one in refused["problem"]["validProfiles"]}


async def test_a_node_is_assigned_once_and_released(client):
    to_robotics = await client.change(
        "assignNode", node=node("gpu-t4-06"), tenant="robotics", target="KUBERNETES"
    )
    to_search = await client.change(
        "assignNode", node=node("gpu-t4-06"), tenant="search", target="KUBERNETES"
    )
    released = await client.change("releaseNode", node=node("gpu-t4-06"))

    assert changes(to_robotics) == {"tenant": (None, "robotics")}
    assert to_robotics["node"]["tenant"] == {"name": "robotics"}
    assert code(to_search) == "FOREIGN_OWNER"
    assert changes(released) == {"target": ("KUBERNETES", None), "tenant": ("robotics", None)}
    assert released["node"]["tenant"] is None


async def test_an_allocation_grows_up_to_what_is_healthy(client):
    vision = {"workspace": {"tenant": "vision", "name": "training"}, "gpuType": "H100-80GB"}

    refused = await client.change("setAllocation", **vision, cards=29)
    made = await client.change("setAllocation", **vision, cards=28, ifGeneration=1)

    assert code(refused) == "EXCEEDS_CAPACITY"
    assert refused["problem"]["balance"] == {
        "gpuType": {"name": "H100-80GB"},
        "healthy": 32,
        "allocated": 28,
    }
    assert changes(made) == {"cards": ("24", "28")}
    assert made["allocation"] == {"cards": 28, "generation": 2}
    assert made["generation"] == 2


async def test_a_price_holds_from_now_on_and_what_was_charged_stands(client):
    asked = {"gpuType": "T4-16GB", "amount": "0.40", "currency": "USD"}

    made = await client.change("setPrice", **asked)
    past = await client.change("setPrice", **asked | {"amount": "9"}, effectiveFrom="2025-06-01T00:00:00Z")

    assert [one["amount"] for one in made["gpuType"]["prices"]] == ["0.35", "0.4"]
    assert code(past) == "INVALID"
    assert past["problem"]["path"] == ["effectiveFrom"]


async def test_a_controller_that_never_ran_cannot_be_paused_and_one_that_ran_can(client):
    name = "node-reconciler/fleet"
    unknown = await client.change("setPause", controller=name, paused=True)
    administrator = await asyncpg.connect(client.dsn, timeout=10, command_timeout=10)
    await administrator.execute(
        "INSERT INTO gateway.controller (name, holder) VALUES ($1, 'gpu-gateway-1')", name
    )
    await administrator.close(timeout=5)
    await client.until("{ controllers { name } }", lambda data: data["controllers"])

    tried = await client.change("setPause", controller=name, paused=True, reason="maintenance", dryRun=True)
    paused = await client.change("setPause", controller=name, paused=True, reason="maintenance")

    assert code(unknown) == "NOT_FOUND"
    assert tried["changes"] == paused["changes"]
    assert tried["controller"]["paused"] is False
    assert paused["controller"] == {"paused": True, "pausedBy": "anonymous", "reason": "maintenance"}
    assert changes(paused) == {"paused": ("false", "true"), "reason": (None, "maintenance")}


@pytest.mark.parametrize(
    ("mutation", "asked", "said"),
    [
        ("setCordon", {"node": node("gpu-x"), "cordoned": True}, "NOT_FOUND"),
        ("setCordon", {"node": {"cluster": "moon", "name": "gpu-t4-01"}, "cordoned": True}, "NOT_FOUND"),
        ("setCordon", {"node": node("gpu-t4-07"), "cordoned": True}, "NO_RECORD"),
        ("setCordon", {"node": node("gpu-h100-10"), "cordoned": True}, "WRONG_TARGET"),
        (
            "setMigLayout",
            {"node": node("gpu-h100-01"), "layout": {"config": "of-nobody"}},
            "UNDETERMINED",
        ),
        ("assignNode", {"node": node("gpu-t4-07"), "tenant": "nobody", "target": "SLURM"}, "NOT_FOUND"),
        (
            "setAllocation",
            {"workspace": {"tenant": "vision", "name": "x"}, "gpuType": "T4-16GB", "cards": 1},
            "NOT_FOUND",
        ),
        ("setPrice", {"gpuType": "X9", "amount": "1", "currency": "USD"}, "NOT_FOUND"),
        ("setPrice", {"gpuType": "T4-16GB", "amount": "-1", "currency": "USD"}, "INVALID"),
        ("setPrice", {"gpuType": "T4-16GB", "amount": "1", "currency": "dollars"}, "INVALID"),
    ],
)
async def test_what_cannot_be_done_is_a_problem_that_names_the_part_of_the_input(
    client, mutation, asked, said
):
    for dry_run in (True, False):
        refused = await client.change(mutation, **asked, dryRun=dry_run)

        assert code(refused) == said
        assert refused["problem"]["path"][0] in asked


async def test_a_change_needs_post(client):
    asked = 'setPause(input: {controller: "node-reconciler/fleet", paused: false}) { dryRun }'

    assert await client.status_of_get(f"mutation {{ {asked} }}") == 405
