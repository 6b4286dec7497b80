import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from gateway.errors import SourceUnavailable, System
from gateway.fleet.change import Order, SetCordon
from tests.asking import Gateway
from tests.builders import a_node, a_record, some_records
from tests.fakes.platform_writer import FakeWriter
from tests.fleets import a_keeper

NAMES = ("gpu-01", "gpu-02", "gpu-03")


@pytest.fixture
def keeper():
    return a_keeper(map(a_node, NAMES), records=some_records(map(a_record, NAMES)))


@pytest.fixture
async def writer(keeper):
    """One who cordoned gpu-01 three times and never gave a reason."""
    writer = FakeWriter(keeper)
    for cordoned in (True, False, True):
        change = SetCordon(cluster="fleet", node="gpu-01", cordoned=cordoned)
        await writer.write(Order(change=change, actor="ada"))
    return writer


PAGE = """query ($after: String) { node(cluster: "fleet", name: "gpu-01") { history(first: 2, after: $after) {
  totalCount pageInfo { hasNextPage hasPreviousPage endCursor }
  nodes { field writer actor before after at generation }
} } }"""


async def test_changes_come_newest_first_in_pages(keeper, writer):
    gateway = Gateway(keeper, writer)

    first = (await gateway.ask_later(PAGE))["data"]["node"]["history"]
    second = (await gateway.ask_later(PAGE, after=first["pageInfo"]["endCursor"]))["data"]["node"]["history"]

    assert first["nodes"][0] == {
        "field": "desired.cordoned",
        "writer": "API",
        "actor": "ada",
        "before": "false",
        "after": "true",
        "at": "2026-11-29T12:00:00Z",
        "generation": 3,
    }
    assert [one["generation"] for one in (*first["nodes"], *second["nodes"])] == [3, 2, 1]
    assert (first["totalCount"], second["totalCount"]) == (3, 3)
    assert first["pageInfo"]["hasNextPage"]
    assert not first["pageInfo"]["hasPreviousPage"]
    assert second["pageInfo"]["hasPreviousPage"]
    assert not second["pageInfo"]["hasNextPage"]


async def test_many_nodes_are_one_question(keeper, writer):
    answer = await Gateway(keeper, writer).ask_later(
        """{ clusters { nodes { nodes { name history { totalCount } } } }
             node(cluster: "fleet", name: "gpu-01") { history { totalCount } } }"""
    )

    counts = [one["history"]["totalCount"] for one in answer["data"]["clusters"][0]["nodes"]["nodes"]]
    assert counts == [3, 0, 0]
    assert writer.questions == [3]


async def test_more_changes_than_anybody_reads_are_refused(keeper, writer):
    many = " ".join(
        f'n{at}: node(cluster: "fleet", name: "gpu-01") {{ history(first: {1000 - at}) {{ totalCount }} }}'
        for at in range(11)
    )

    answer = await Gateway(keeper, writer).ask_later(f"{{ {many} }}")

    assert answer["errors"][0]["extensions"]["code"] == "INVALID"
    assert "ask for fewer at a time" in answer["errors"][0]["message"]


async def test_a_cursor_of_another_node_is_refused(keeper, writer):
    gateway = Gateway(keeper, writer)
    first = (await gateway.ask_later(PAGE))["data"]["node"]["history"]

    answer = await gateway.ask_later(
        PAGE.replace('"gpu-01"', '"gpu-02"'), after=first["pageInfo"]["endCursor"]
    )

    assert "this cursor is of another list" in answer["errors"][0]["message"]


FORGED = [[], [""], ["x"], ["-1"], ["1.5"], [" 7"], ["1_0"], ["\u0663"], ["7", "7"], ["9" * 19], ["9" * 5000]]


@pytest.mark.parametrize("place", FORGED, ids=range(len(FORGED)))
async def test_a_cursor_that_nobody_gave_is_refused(keeper, writer, place):
    gateway = Gateway(keeper, writer)
    given = (await gateway.ask_later(PAGE))["data"]["node"]["history"]["pageInfo"]["endCursor"]
    mark, _ = json.loads(urlsafe_b64decode(given + "=="))
    forged = urlsafe_b64encode(json.dumps([mark, *place]).encode()).decode()

    answer = await gateway.ask_later(PAGE, after=forged)

    assert answer["data"] == {"node": {"history": None}}
    assert answer["errors"][0]["extensions"]["code"] == "INVALID"
    assert "is no cursor: pass an endCursor of this list" in answer["errors"][0]["message"]
    assert len(answer["errors"][0]["message"]) < 150


async def test_a_silent_database_takes_history_away_and_nothing_else(keeper, writer):
    writer.failure = SourceUnavailable(System.PLATFORM, "connection refused")

    answer = await Gateway(keeper, writer).ask_later(
        "{ clusters { nodes { nodes { name history { totalCount } } } } }"
    )

    nodes = answer["data"]["clusters"][0]["nodes"]["nodes"]
    assert nodes == [{"name": name, "history": None} for name in NAMES]
    (error,) = answer["errors"]
    assert error["extensions"] == {
        "code": "SOURCE_UNAVAILABLE",
        "system": "PLATFORM",
        "retryable": True,
        "count": 3,
    }


async def test_without_records_there_is_no_history_and_no_error(keeper):
    answer = await Gateway(keeper).ask_later(PAGE)

    assert answer["data"]["node"] == {"history": None}
    assert "errors" not in answer
