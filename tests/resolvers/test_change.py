from dataclasses import replace

import pytest

from gateway.errors import SourceMisread, SourceRefused, SourceUnavailable, System
from gateway.fleet.platform import Target
from tests.asking import Gateway
from tests.builders import a_node, a_pod, a_record, some_records
from tests.fakes.platform_writer import FakeWriter
from tests.fleets import ABSENT, RECORDS, a_keeper
from tests.wishes import a_desired

CORDON = """mutation ($input: SetCordonInput!) { setCordon(input: $input) {
  node { desired { cordoned generation } }
  changes { field before after } generation dryRun problem { code message path retryable }
} }"""
GPU_01 = {"cluster": "fleet", "name": "gpu-01"}


@pytest.fixture
def keeper():
    records = some_records([replace(a_record(), desired=a_desired(4)), a_record("gpu-02", Target.SLURM)])
    return a_keeper([a_node(), a_node("gpu-02")], [a_pod("train-0")], records)


@pytest.fixture
def writer(keeper):
    return FakeWriter(keeper)


@pytest.fixture
def cordon(keeper, writer):
    """Ask for a cordon of gpu-01, or what else is said."""
    gateway = Gateway(keeper, writer)

    async def ask(**asked):
        answer = await gateway.ask_later(CORDON, input={"node": GPU_01, "cordoned": True, **asked})
        assert "errors" not in answer, answer["errors"]
        return answer["data"]["setCordon"]

    return ask


async def test_a_change_is_written_and_seen_in_its_own_answer(cordon, writer):
    assert await cordon() == {
        "node": {"desired": {"cordoned": True, "generation": 5}},
        "changes": [{"field": "desired.cordoned", "before": "false", "after": "true"}],
        "generation": 5,
        "dryRun": False,
        "problem": None,
    }
    assert [order.actor for order in writer.orders] == ["anonymous"]


async def test_a_dry_run_tells_what_would_change_and_reaches_no_writer(cordon, writer):
    answer = await cordon(dryRun=True, idempotencyKey="k", ifGeneration=4)

    assert answer["changes"] == [{"field": "desired.cordoned", "before": "false", "after": "true"}]
    assert (answer["generation"], answer["dryRun"], answer["problem"]) == (4, True, None)
    assert answer["node"] == {"desired": {"cordoned": False, "generation": 4}}
    assert writer.orders == []


async def test_a_dry_run_knows_that_the_generation_moved(cordon):
    answer = await cordon(dryRun=True, ifGeneration=3)

    assert answer["problem"]["code"] == "GENERATION_CONFLICT"
    assert answer["problem"]["path"] == ["ifGeneration"]


async def test_what_is_judged_against_is_never_written(cordon, writer):
    answer = await cordon(node={"cluster": "fleet", "name": "gpu-02"})

    assert answer["problem"]["code"] == "WRONG_TARGET"
    assert (answer["changes"], answer["generation"]) == ([], None)
    assert writer.orders == []


async def test_a_repeat_is_answered_as_at_first_although_it_would_be_refused_by_now(cordon):
    first = await cordon(ifGeneration=4, idempotencyKey="k")
    again = await cordon(ifGeneration=4, idempotencyKey="k")
    without_key = await cordon(ifGeneration=4)

    assert again == first
    assert without_key["problem"]["code"] == "GENERATION_CONFLICT"


async def test_a_key_is_of_what_was_asked_whatever_order_that_came_in(keeper, writer):
    """The same layout and acknowledgements are the same; another layout is not."""
    gateway = Gateway(keeper, writer)
    mutation = (
        """mutation ($input: SetMigLayoutInput!) { setMigLayout(input: $input) { problem { code } } }"""
    )
    orders = [
        {"layout": {"config": "all-1g.10gb"}, "acknowledgedWorkloads": ids}
        for ids in (["a", "b"], ["b", "a"])
    ]
    asked = [*orders, {"layout": None}]

    for one in asked:
        given = {"node": GPU_01, "idempotencyKey": "k", **one}
        await gateway.ask_later(mutation, input=given)
    fingerprints = [order.once.fingerprint for order in writer.looked_up]

    assert fingerprints[0] == fingerprints[1] != fingerprints[2]
    assert {len(one) for one in fingerprints} == {32}


@pytest.mark.parametrize("key", ["", "k" * 201, "k\0"])
async def test_a_key_that_nobody_could_keep_is_refused(cordon, writer, key):
    answer = await cordon(idempotencyKey=key)

    assert (answer["problem"]["code"], answer["problem"]["path"]) == ("INVALID", ["idempotencyKey"])
    assert "take 1 to 200 printable characters" in answer["problem"]["message"]
    assert writer.orders == []


async def test_a_reason_that_nobody_would_read_is_refused(cordon, writer):
    answer = await cordon(reason="x" * 501)

    assert (answer["problem"]["code"], answer["problem"]["path"]) == ("INVALID", ["reason"])
    assert writer.orders == []


async def test_a_reason_that_cannot_be_kept_is_refused_in_a_dry_run_too(cordon, writer):
    answer = await cordon(reason="a\0b", dryRun=True)

    assert (answer["problem"]["code"], answer["problem"]["path"]) == ("INVALID", ["reason"])
    assert writer.orders == []


@pytest.mark.parametrize(
    ("failure", "retryable"), [(SourceUnavailable, True), (SourceRefused, False), (SourceMisread, False)]
)
async def test_a_silent_database_is_a_problem_and_the_node_is_shown(cordon, writer, failure, retryable):
    writer.failure = failure(System.PLATFORM, "Postgres db:5432/platform: no answer")

    answer = await cordon()

    assert answer["problem"] == {
        "code": "SOURCE_SILENT",
        "message": "Postgres db:5432/platform: no answer",
        "path": None,
        "retryable": retryable,
    }
    assert answer["node"] == {"desired": {"cordoned": False, "generation": 4}}


async def test_without_records_nothing_can_be_changed_and_the_fix_is_named(keeper):
    keeper.touch(RECORDS, ABSENT)

    answer = await Gateway(keeper).ask_later(CORDON, input={"node": GPU_01, "cordoned": True})

    problem = answer["data"]["setCordon"]["problem"]
    assert problem["code"] == "NO_RECORD"
    assert "configure its Postgres" in problem["message"]
    assert "errors" not in answer


async def test_each_change_of_a_document_sees_the_one_before(keeper, writer):
    asked = 'node: {cluster: "fleet", name: "gpu-01"}'
    answer = await Gateway(keeper, writer).ask_later(
        f"""mutation {{
          a: setCordon(input: {{{asked}, cordoned: true}}) {{ node {{ ...Told }} }}
          b: setCordon(input: {{{asked}, cordoned: false, ifGeneration: 5}}) {{ node {{ ...Told }} }}
          c: setCordon(input: {{{asked}, cordoned: true, ifGeneration: 5}}) {{ problem {{ code }} }}
        }}
        fragment Told on Node {{ desired {{ generation }} history {{ totalCount }} }}"""
    )

    assert answer["data"] == {
        "a": {"node": {"desired": {"generation": 5}, "history": {"totalCount": 1}}},
        "b": {"node": {"desired": {"generation": 6}, "history": {"totalCount": 2}}},
        "c": {"problem": {"code": "GENERATION_CONFLICT"}},
    }
