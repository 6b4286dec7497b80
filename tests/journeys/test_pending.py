"""Why work waits, asked of a pod, a workspace and a cluster: kept in a real database, or said now."""

from dataclasses import replace

import pytest

from gateway.controllers.recorder import Recorder
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.reasons import PostgresReasons
from tests.asking import Gateway
from tests.builders import CLUSTER, NOON, a_pod, a_workspace, some_records
from tests.fleet.pending.said import CORDONED, EVENT_LISTING, LACKING, a_group, an_event, speaking, waiting
from tests.fleets import FRESH, NEVER, POD_GROUPS, PODS, a_keeper
from tests.sources.postgres.test_reasons import DAY, KEEPING, Site

GANG = "1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable."
WAITS = "{ totalCount nodes { podName controller code message count resolvedAt pod { name } } }"
QUERY = f"""{{
  cluster(name: "fleet") {{
    all: pendingReasons {WAITS}
    none: pendingReasons(namespaces: ["elsewhere"]) {WAITS}
    pods {{ nodes {{ name pendingReasons {WAITS} }} }}
  }}
  workspace(tenant: "vision", name: "training") {{ pendingReasons {WAITS} }}
}}"""


class Archive:
    """The database's archive, whose questions are counted."""

    def __init__(self, dsn):
        self._kept = PostgresReasons(lambda: dsn)
        self.questions = 0

    async def reasons(self, asked):
        self.questions += 1
        return await self._kept.reasons(asked)


@pytest.fixture
async def migrated(postgres_dsn):
    await migrate(postgres_dsn)
    return postgres_dsn


def waiting_keeper(*pods, groups=(), events=()):
    records = some_records(workspaces=[a_workspace()])
    return speaking(*events, keeper=a_keeper([], pods, records, pod_groups=groups))


async def recorded(dsn, keeper):
    await Recorder(keeper.pin, keeper, PostgresReasons(lambda: dsn), KEEPING).record()
    return keeper


async def test_kept_reasons_are_one_question_and_the_same_by_every_path(migrated):
    keeper = await recorded(migrated, waiting_keeper(waiting(), waiting(CORDONED, name="work-1")))
    archive = Archive(migrated)
    data = (await Gateway(keeper, archive=archive).ask_later(QUERY))["data"]
    told = {row["podName"]: row["message"] for row in data["cluster"]["all"]["nodes"]}
    assert told == {"work-0": LACKING, "work-1": CORDONED}
    assert data["workspace"]["pendingReasons"] == data["cluster"]["all"]
    assert data["cluster"]["none"]["totalCount"] == 0
    by_pod = {pod["name"]: pod["pendingReasons"]["nodes"] for pod in data["cluster"]["pods"]["nodes"]}
    assert {name: [row["message"] for row in rows] for name, rows in by_pod.items()} == {
        "work-0": [LACKING],
        "work-1": [CORDONED],
    }
    assert archive.questions == 1


async def test_a_reason_outlives_its_pod_which_it_then_only_names(migrated):
    site = Site(migrated)
    await site.record(waiting())
    await site.record(at=NOON + DAY)
    answer = await Gateway(site.keeper, archive=PostgresReasons(lambda: migrated)).ask_later(
        f'{{ cluster(name: "{CLUSTER}") {{ pendingReasons {WAITS} }} }}'
    )
    (row,) = answer["data"]["cluster"]["pendingReasons"]["nodes"]
    assert (row["podName"], row["pod"], row["message"]) == ("work-0", None, LACKING)
    assert row["resolvedAt"] is not None


async def test_a_pod_shows_the_reasons_of_its_group(migrated):
    member = replace(waiting(None), group_name="gang")
    group = a_group(("Unschedulable", GANG, NOON))
    keeper = await recorded(migrated, waiting_keeper(member, groups=[group]))
    data = (await Gateway(keeper, archive=Archive(migrated)).ask_later(QUERY))["data"]
    (pod,) = data["cluster"]["pods"]["nodes"]
    assert [(row["controller"], row["code"]) for row in pod["pendingReasons"]["nodes"]] == [
        ("PodGroup/gang", "GANG_NOT_READY")
    ]


async def test_without_a_database_what_is_said_now_is_shown():
    keeper = waiting_keeper(waiting(), a_pod("runs"), events=[an_event(count=3)])
    data = (await Gateway(keeper).ask_later(QUERY))["data"]
    rows = [(row["podName"], row["count"]) for row in data["cluster"]["all"]["nodes"]]
    assert rows == [("work-0", 3)]
    by_pod = {pod["name"]: pod["pendingReasons"]["totalCount"] for pod in data["cluster"]["pods"]["nodes"]}
    assert by_pod == {"work-0": 1, "runs": 0}


async def test_pages_go_on_from_one_another(migrated):
    pods = [waiting(name=f"work-{number}") for number in range(3)]
    gateway = Gateway(await recorded(migrated, waiting_keeper(*pods)), archive=Archive(migrated))
    query = """query ($after: String) { cluster(name: "fleet") {
      pendingReasons(first: 2, after: $after) { nodes { podName } pageInfo { hasNextPage endCursor } } } }"""
    first = (await gateway.ask_later(query))["data"]["cluster"]["pendingReasons"]
    after = first["pageInfo"]["endCursor"]
    last = (await gateway.ask_later(query, after=after))["data"]["cluster"]["pendingReasons"]
    assert (first["pageInfo"]["hasNextPage"], last["pageInfo"]["hasNextPage"]) == (True, False)
    assert len({row["podName"] for row in (*first["nodes"], *last["nodes"])}) == 3


async def test_while_nothing_is_kept_reasons_are_an_error_and_never_an_empty_list(migrated):
    site = Site("postgresql://postgres@127.0.0.1:1/gateway", waiting())
    await site.recorder.record()
    answer = await Gateway(site.keeper, archive=Archive(migrated)).ask_later(QUERY)
    assert answer["data"]["cluster"]["all"] is None
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"SOURCE_UNAVAILABLE"}


@pytest.mark.parametrize("namespaces", ["[]", '["nowhere"]'])
async def test_of_no_namespace_and_of_an_unknown_one_nothing_is_kept(migrated, namespaces):
    gateway = Gateway(await recorded(migrated, waiting_keeper(waiting())), archive=Archive(migrated))
    query = f'{{ cluster(name: "fleet") {{ pendingReasons(namespaces: {namespaces}) {WAITS} }} }}'
    answer = await gateway.ask_later(query)
    assert "errors" not in answer
    assert answer["data"] == {"cluster": {"pendingReasons": {"totalCount": 0, "nodes": []}}}


async def test_a_workspace_without_namespaces_has_no_reasons(migrated):
    bare = a_workspace("bare", namespaces=())
    keeper = a_keeper([], [waiting()], some_records(workspaces=[bare]))
    gateway = Gateway(await recorded(migrated, keeper), archive=Archive(migrated))
    answer = await gateway.ask_later(
        f'{{ workspace(tenant: "vision", name: "bare") {{ pendingReasons {WAITS} }} }}'
    )
    assert "errors" not in answer
    assert answer["data"] == {"workspace": {"pendingReasons": {"totalCount": 0, "nodes": []}}}


async def test_while_kubernetes_is_silent_what_is_kept_is_shown_and_its_pods_are_an_error(migrated):
    keeper = await recorded(migrated, waiting_keeper(waiting()))
    keeper.touch(PODS, NEVER)
    answer = await Gateway(keeper, archive=Archive(migrated)).ask_later(
        f'{{ cluster(name: "fleet") {{ pendingReasons {WAITS} }} }}'
    )
    (row,) = answer["data"]["cluster"]["pendingReasons"]["nodes"]
    assert (row["podName"], row["message"], row["pod"]) == ("work-0", LACKING, None)
    (error,) = answer["errors"]
    assert error["path"] == ["cluster", "pendingReasons", "nodes", 0, "pod"]
    assert error["extensions"]["code"] == "SOURCE_UNAVAILABLE"


@pytest.mark.parametrize("listing", [PODS, EVENT_LISTING, POD_GROUPS])
async def test_without_a_database_a_silence_is_an_error_and_never_an_empty_list(listing):
    keeper = waiting_keeper(waiting())
    keeper.touch(listing, NEVER)
    answer = await Gateway(keeper).ask_later(f'{{ cluster(name: "fleet") {{ pendingReasons {WAITS} }} }}')
    assert answer["data"]["cluster"]["pendingReasons"] is None
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["SOURCE_UNAVAILABLE"]


async def test_while_groups_are_silent_the_reasons_of_their_pods_are_an_error(migrated):
    keeper = await recorded(migrated, waiting_keeper(replace(waiting(), group_name="gang")))
    keeper.touch(POD_GROUPS, NEVER)
    data = (await Gateway(keeper, archive=Archive(migrated)).ask_later(QUERY))["data"]
    assert [pod["pendingReasons"] for pod in data["cluster"]["pods"]["nodes"]] == [None]
    assert data["cluster"]["all"]["totalCount"] == 1


async def test_what_a_scheduler_and_a_group_say_is_both_shown_and_both_is_over_in_the_end(migrated):
    member = replace(waiting(), group_name="gang")
    keeper = waiting_keeper(member, groups=[a_group(("Unschedulable", GANG, NOON))])
    archive = Archive(migrated)
    await recorded(migrated, keeper)
    assert await codes(keeper, archive) == {"INSUFFICIENT_RESOURCE": False, "GANG_NOT_READY": False}
    placed = replace(a_pod(), group_name="gang")
    keeper.replace(PODS, {("training", "work-0"): placed}, FRESH)
    keeper.replace(POD_GROUPS, {("training", "gang"): a_group(phase="Running")}, FRESH)
    await recorded(migrated, keeper)
    assert await codes(keeper, archive) == {"INSUFFICIENT_RESOURCE": True, "GANG_NOT_READY": True}


async def codes(keeper, archive):
    """The reasons of the only pod, and whether they are over."""
    data = (await Gateway(keeper, archive=archive).ask_later(QUERY))["data"]
    (pod,) = data["cluster"]["pods"]["nodes"]
    return {row["code"]: row["resolvedAt"] is not None for row in pod["pendingReasons"]["nodes"]}


async def test_more_reasons_than_one_answer_may_hold_are_refused_with_the_way_out(migrated):
    keeper = await recorded(migrated, waiting_keeper(*(waiting(name=f"work-{n}") for n in range(11))))
    query = f'{{ cluster(name: "fleet") {{ pods {{ nodes {{ pendingReasons(first: 1000) {WAITS} }} }} }} }}'
    answer = await Gateway(keeper, archive=Archive(migrated)).ask_later(query)
    assert [pod["pendingReasons"] for pod in answer["data"]["cluster"]["pods"]["nodes"]] == [None] * 11
    told = {(error["extensions"]["code"], error["message"]) for error in answer["errors"]}
    assert told == {("INVALID", "pendingReasons: 11,000 are more than 10,000: ask for fewer at a time")}
