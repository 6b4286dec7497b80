import pytest

from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.platform import Tenant
from tests.asking import Gateway
from tests.builders import NOON, a_job, a_node, a_pod, a_record, a_workspace, some_records
from tests.fleets import FRESH, NODES, RECORDS, a_keeper


@pytest.fixture
def gateway():
    return Gateway(
        a_keeper(
            nodes=[a_node("gpu-01")],
            pods=[a_pod("work-0")],
            records=some_records(
                nodes=[a_record("gpu-01"), a_record("gone", tenant="språk-語")], workspaces=[a_workspace()]
            ),
            jobs=[a_job("7")],
        )
    )


def test_clusters_come_as_they_are_configured_reached_or_not():
    keeper = FleetKeeper(["west", "east"], {}, lambda: NOON)

    found = Gateway(keeper).data("{ clusters { name kubernetesVersion } }")

    assert [one["name"] for one in found["clusters"]] == ["west", "east"]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ('cluster(name: "fleet") { name }', "fleet"),
        ('node(cluster: "fleet", name: "gpu-01") { name }', "gpu-01"),
        ('node(cluster: "fleet", name: "gone") { name }', "gone"),
        ('tenant(name: "språk-語") { name }', "språk-語"),
        ('workspace(tenant: "vision", name: "training") { name }', "training"),
        ('pod(cluster: "fleet", namespace: "training", name: "work-0") { name }', "work-0"),
        ('slurmJob(slurmCluster: "island", jobId: "7") { name }', "train"),
    ],
)
def test_one_thing_is_found_by_its_names(gateway, asked, name):
    (found,) = gateway.data(f"{{ {asked} }}").values()

    assert found == {"name": name}


@pytest.mark.parametrize(
    "asked",
    [
        'cluster(name: "nowhere") { name }',
        'node(cluster: "nowhere", name: "gpu-01") { name }',
        'node(cluster: "fleet", name: "gpu-02") { name }',
        'tenant(name: "nobody") { name }',
        'workspace(tenant: "vision", name: "nothing") { name }',
        'workspace(tenant: "nobody", name: "training") { name }',
        'pod(cluster: "fleet", namespace: "other", name: "work-0") { name }',
        'slurmJob(slurmCluster: "island", jobId: "8") { name }',
        'slurmJob(slurmCluster: "nowhere", jobId: "7") { name }',
    ],
)
def test_what_is_not_there_is_null_without_an_error(gateway, asked):
    assert list(gateway.data(f"{{ {asked} }}").values()) == [None]


def test_tenants_are_sorted_and_chosen_by_name(gateway):
    names = "query ($filter: TenantFilter) { tenants(filter: $filter) { totalCount nodes { name } } }"

    assert gateway.data(names)["tenants"] == {
        "totalCount": 2,
        "nodes": [{"name": "språk-語"}, {"name": "vision"}],
    }
    chosen = gateway.data(names, filter={"names": ["vision", "nobody"]})["tenants"]
    assert chosen == {"totalCount": 1, "nodes": [{"name": "vision"}]}
    assert gateway.data(names, filter={"names": []})["tenants"]["totalCount"] == 0


def test_names_are_passed_on_in_any_script():
    records = some_records()
    records.tenants["språk-語"] = Tenant(name="språk-語", display_name="Språk och 語 🧪")
    keeper = a_keeper(nodes=[a_node("gpu-01", {"team": "värme"})], records=records)

    found = Gateway(keeper).data(
        """{
          tenant(name: "språk-語") { name displayName }
          node(cluster: "fleet", name: "gpu-01") { labels { value } }
        }"""
    )

    assert found["tenant"] == {"name": "språk-語", "displayName": "Språk och 語 🧪"}
    assert found["node"]["labels"] == [{"value": "värme"}]


def test_a_machine_that_left_is_still_there_to_be_released(gateway):
    asked = """{ node(cluster: "fleet", name: "gone") {
      knownTo ready gpus { cards } unknowns { field } tenant { name }
    } }"""

    assert gateway.data(asked)["node"] == {
        "knownTo": ["PLATFORM"],
        "ready": None,
        "gpus": None,
        "unknowns": [],
        "tenant": {"name": "språk-語"},
    }


def test_one_answer_is_of_one_moment():
    """A change between two requests is in the second, and in all of it."""
    keeper = a_keeper(nodes=[a_node("gpu-01")])
    gateway = Gateway(keeper)
    count = 'cluster(name: "fleet") { nodes { totalCount } }'
    asked = f"{{ a: {count} b: {count} }}"
    before = gateway.data(asked)
    keeper.change(NODES, {"gpu-02": a_node("gpu-02")}, FRESH)
    after = gateway.data(asked)

    assert [one["nodes"]["totalCount"] for answer in (before, after) for one in answer.values()] == [
        1,
        1,
        2,
        2,
    ]


def test_sources_tell_how_they_stand_and_what_they_hold():
    keeper = a_keeper(nodes=[a_node("gpu-01"), a_node("gpu-02")], records=some_records(nodes=[a_record()]))
    sources = Gateway(keeper).data(
        "{ sources { name system state objects lastSuccessAt error skipped { raw } } }"
    )["sources"]

    by_name = {one.pop("name"): one for one in sources}
    assert list(by_name) == sorted(by_name)
    assert by_name["kubernetes/fleet/nodes"] == {
        "system": "KUBERNETES",
        "state": "FRESH",
        "objects": 2,
        "lastSuccessAt": "2026-11-29T12:00:00Z",
        "error": None,
        "skipped": [],
    }
    assert by_name["platform/records"]["system"] == "PLATFORM"


def test_an_answer_lists_the_sources_of_the_systems_that_it_rests_on(gateway):
    def systems(query, **variables):
        sources = gateway.ask(query, **variables)["extensions"]["sources"]
        return {one["system"] for one in sources}

    pods = 'query ($filter: PodFilter) { cluster(name: "fleet") { pods(filter: $filter) { totalCount } } }'
    assert systems("{ clusters { name } }") == set()
    assert systems("{ clusters { queues { name } } }") == {"QUEUES"}
    assert systems("{ clusters { queues { unknowns { reason } } } }") == {"KUBERNETES", "QUEUES"}
    assert systems("{ tenants { nodes { name } } }") == {"PLATFORM"}
    assert systems("{ clusters { nodes { totalCount } } }") == {"KUBERNETES", "PLATFORM", "SLURM"}
    assert systems("{ clusters { pods { nodes { name } } } }") == {"KUBERNETES"}
    assert systems('{ clusters { pods(filter: {queue: "q"}) { totalCount } } }') == {"KUBERNETES", "QUEUES"}
    assert systems(pods, filter={"queue": "q"}) == {"KUBERNETES", "PLATFORM", "QUEUES"}
    assert systems("{ clusters { slurmJobs { nodes { ...on Workload { user } } } } }") == {
        "KUBERNETES",
        "SLURM",
    }


def test_records_that_were_never_told_are_no_empty_list():
    keeper = FleetKeeper(["fleet"], {}, lambda: NOON)
    keeper.touch(RECORDS, FRESH.__class__(fresh_for=FRESH.fresh_for, stale_after=FRESH.stale_after))

    error = Gateway(keeper).refusal("{ tenants { totalCount } }")

    assert error["extensions"]["code"] == "SOURCE_UNAVAILABLE"
