import pytest

from gateway.controllers.alert_book import HOLDS
from gateway.controllers.alert_keeper import AlertKeeper
from tests.alerting import watched
from tests.asking import Gateway
from tests.builders import a_node, a_queue, a_record, a_workspace, some_records
from tests.fleets import FRESH, NEVER, RECORDS, Hands, a_keeper
from tests.gpu_labels import GPU, H100

PAGE = """query ($first: Int!, $after: String, $filter: AlertFilter) {
  alerts(first: $first, after: $after, filter: $filter) {
    totalCount pageInfo { hasNextPage endCursor } nodes { id kind severity subjectName }
  } }"""


@pytest.fixture
def hands():
    return Hands()


@pytest.fixture
def keeper(hands):
    """A machine that gives nothing, one that is gone, one without a record, and a queue that counts bytes."""
    return a_keeper(
        [a_node("empty", capacity={GPU: 0}), a_node("wild")],
        records=some_records(
            [a_record("empty"), a_record("gone", tenant="search")],
            [a_workspace(given={H100: 9}), a_workspace("unqueued", {}, namespaces=[], queue=None)],
        ),
        queues=[a_queue(allocated={GPU: "13Gi"})],
        clock=hands,
    )


@pytest.fixture
def gateway(keeper):
    return watched(keeper)


def found(gateway, **wanted):
    page = gateway.data(PAGE, first=100, filter=wanted)["alerts"]
    return [(one["kind"], one["subjectName"]) for one in page["nodes"]]


def test_the_gravest_come_first(gateway):
    page = gateway.data(PAGE, first=100)["alerts"]
    severities = [one["severity"] for one in page["nodes"]]

    assert severities == sorted(severities, key=["CRITICAL", "WARNING", "INFO"].index)
    assert len(set(severities)) == 3


def test_pages_go_through_all_of_them_once(gateway):
    every, after, seen = gateway.data(PAGE, first=100)["alerts"], None, []
    while True:
        page = gateway.data(PAGE, first=2, after=after)["alerts"]
        seen += page["nodes"]
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]

    assert seen == every["nodes"]
    assert every["totalCount"] == len(seen) > 3


def test_a_filter_lets_through_what_is_all_of_it(gateway):
    assert found(gateway, kinds=["ORPHANED_RECORD", "UNMANAGED_NODE"]) == [
        ("ORPHANED_RECORD", "gone"),
        ("UNMANAGED_NODE", "wild"),
    ]
    assert ("ORPHANED_RECORD", "gone") in found(gateway, tenant="search", cluster="fleet")
    assert found(gateway, tenant="search", severities=["CRITICAL"]) == []
    assert found(gateway, cluster="elsewhere") == []


def test_a_cursor_of_another_filter_is_refused(gateway):
    after = gateway.data(PAGE, first=1)["alerts"]["pageInfo"]["endCursor"]

    refusal = gateway.refusal(PAGE, first=1, after=after, filter={"severities": ["INFO"]})

    assert "another list" in refusal["message"]


def test_each_thing_shows_its_own(gateway):
    asked = """{
      cluster(name: "fleet") { alerts { totalCount } }
      node(cluster: "fleet", name: "gone") { alerts { nodes { kind } } }
      tenant(name: "search") { alerts { nodes { subjectName } } }
      workspace(tenant: "vision", name: "training") { alerts { nodes { kind } } }
      unqueued: workspace(tenant: "vision", name: "unqueued") { alerts { totalCount } }
      alerts { totalCount }
    }"""

    data = gateway.data(asked)

    assert data["cluster"] == {"alerts": {"totalCount": data["alerts"]["totalCount"]}}
    assert data["node"]["alerts"]["nodes"] == [{"kind": "ORPHANED_RECORD"}]
    assert data["tenant"]["alerts"]["nodes"] == [{"subjectName": "gone"}]
    assert data["workspace"]["alerts"]["nodes"] == [{"kind": "IMPLAUSIBLE_COUNT"}]
    assert data["unqueued"]["alerts"]["totalCount"] == 0


def test_one_can_be_asked_for_again_by_its_id_and_all_by_their_subject(gateway):
    (gone,) = gateway.data(PAGE, first=1, filter={"kinds": ["ORPHANED_RECORD"]})["alerts"]["nodes"]
    again = "query ($id: ID!) { entity(id: $id) { id ... on Alert { kind subject { id } } } }"

    entity = gateway.data(again, id=gone["id"])["entity"]

    assert (entity["id"], entity["kind"]) == (gone["id"], "ORPHANED_RECORD")
    assert found(gateway, subject=entity["subject"]["id"]) == [("ORPHANED_RECORD", "gone")]


def test_machines_are_found_by_their_alerts(gateway):
    asked = """query ($kinds: [AlertKind!]) {
      cluster(name: "fleet") { nodes(filter: {alerts: $kinds}) { totalCount nodes { name } } } }"""

    def names(*kinds):
        page = gateway.data(asked, kinds=kinds)["cluster"]["nodes"]
        return [one["name"] for one in page["nodes"]]

    assert names("ORPHANED_RECORD", "READY_WITHOUT_CAPACITY") == ["empty", "gone"]
    assert names("PROFILE_DRIFT") == []


def test_alerts_stay_while_a_system_is_silent_and_only_what_it_would_tell_is_null(keeper):
    alerts = AlertKeeper(keeper)
    alerts.look_once()
    keeper.touch(RECORDS, NEVER)
    alerts.look_once()
    asked = """{ alerts(filter: {kinds: [ORPHANED_RECORD]}) {
      totalCount nodes { subjectName resolvedAt tenant { name } } } }"""

    answer = Gateway(keeper).ask(asked)

    assert answer["data"]["alerts"] == {
        "totalCount": 1,
        "nodes": [{"subjectName": "gone", "resolvedAt": None, "tenant": None}],
    }
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["SOURCE_UNAVAILABLE"]


def test_what_is_over_is_shown_where_it_is_asked_for(keeper, hands):
    alerts = AlertKeeper(keeper)
    alerts.look_once()
    keeper.replace(RECORDS, {"records": some_records([a_record("empty")])}, FRESH)
    alerts.look_once()
    hands.now += HOLDS
    alerts.look_once()
    gateway = Gateway(keeper)

    assert ("ORPHANED_RECORD", "gone") not in found(gateway)
    assert found(gateway, includeResolved=True)[-1] == ("ORPHANED_RECORD", "gone")
