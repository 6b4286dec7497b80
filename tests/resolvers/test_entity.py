import pytest

from gateway.fleet.entity import EntityKind, entity_id
from tests.asking import Gateway
from tests.builders import a_job, a_node, a_pod, a_queue, a_record, a_slurm_node, a_workspace, some_records
from tests.fleets import FRESH, NEVER, NODES, PODS, RECORDS, a_keeper
from tests.gpu_labels import GPU, mixed

EVERY_ID = """{
  clusters { id queues { id } pods { nodes { id } } slurmJobs { nodes { id } } capacity { id }
             nodes { nodes { id migSlices { id } } } }
  tenants { nodes { id capacity { id } workspaces { nodes { id allocations { id } } } } }
  sources { id }
}"""
AGAIN = "query ($id: ID!) { entity(id: $id) { __typename id } }"
SEVERAL = "query ($ids: [ID!]!) { entities(ids: $ids) { id } }"


@pytest.fixture
def keeper():
    return a_keeper(
        nodes=[
            a_node("whole"),
            a_node("cut", mixed(1), {GPU: 0, "nvidia.com/mig-1g.10gb": 7}),
        ],
        pods=[a_pod("work-0", "whole")],
        records=some_records(nodes=[a_record("whole"), a_record("cut")], workspaces=[a_workspace()]),
        slurm_nodes=[a_slurm_node("island")],
        jobs=[a_job("7", {"island": 8})],
        queues=[a_queue()],
    )


def ids_in(value):
    """Every id of an answer, with the path to it."""
    if isinstance(value, list):
        return [found for one in value for found in ids_in(one)]
    if not isinstance(value, dict):
        return []
    below = [found for one in value.values() for found in ids_in(one)]
    return [*([value["id"]] if "id" in value else []), *below]


def test_every_id_finds_the_same_thing_again(keeper):
    gateway = Gateway(keeper)
    ids = ids_in(gateway.data(EVERY_ID))

    found = [gateway.data(AGAIN, id=one)["entity"] for one in ids]

    assert [one["id"] for one in found] == ids
    assert {one["__typename"] for one in found} == {
        "Cluster",
        "GpuAllocation",
        "GpuBalance",
        "MigSlice",
        "Node",
        "Pod",
        "Queue",
        "SlurmJob",
        "SourceStatus",
        "Tenant",
        "Workspace",
    }


def test_several_come_back_in_the_order_that_was_asked_and_null_for_what_is_gone(keeper):
    gateway = Gateway(keeper)
    ids = ids_in(gateway.data(EVERY_ID))[::-1]
    gone = entity_id(EntityKind.NODE, "fleet", "gone")

    found = gateway.data(SEVERAL, ids=[gone, *ids])["entities"]

    assert found == [None, *({"id": one} for one in ids)]


def test_a_namesake_is_another_thing(keeper):
    gateway = Gateway(keeper)
    pod = gateway.data('{ pod(cluster: "fleet", namespace: "training", name: "work-0") { id } }')["pod"]["id"]
    job = gateway.data('{ slurmJob(slurmCluster: "island", jobId: "7") { id } }')["slurmJob"]["id"]
    keeper.change(PODS, {("training", "work-0"): None}, FRESH)

    assert gateway.data(AGAIN, id=pod) == {"entity": None}
    assert gateway.data(AGAIN, id=job)["entity"]["id"] == job
    other = entity_id(EntityKind.SLURM_JOB, "island", "7", "2020-01-01T00:00:00+00:00")
    assert gateway.data(AGAIN, id=other) == {"entity": None}


@pytest.mark.parametrize("kind", EntityKind)
def test_an_id_with_parts_that_it_cannot_have_is_refused(keeper, kind):
    """Whatever a caller writes, nothing is looked up that is no id of this graph."""
    gateway = Gateway(keeper)

    for parts in ((), ("a",) * 9):
        error = gateway.refusal(AGAIN, id=entity_id(kind, *parts))
        assert error["extensions"] == {"code": "INVALID"}
        assert error["message"].endswith("is not an id of this graph: pass an id that it answered before")


@pytest.mark.parametrize("text", ["", "x", "fleet", "språk", "bm90aGluZw"])
def test_a_text_that_is_no_id_is_refused(keeper, text):
    error = Gateway(keeper).refusal(AGAIN, id=text)

    assert (error["path"], error["extensions"]) == (["entity"], {"code": "INVALID"})


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (EntityKind.CLUSTER, ("nowhere",)),
        (EntityKind.NODE, ("nowhere", "gpu")),
        (EntityKind.MIG_SLICE, ("fleet", "whole", "nvidia.com/mig-1g.10gb", "1g.10gb")),
        (EntityKind.MIG_SLICE, ("fleet", "gone", "nvidia.com/mig-1g.10gb", "1g.10gb")),
        (EntityKind.TENANT, ("nobody",)),
        (EntityKind.WORKSPACE, ("vision", "nothing")),
        (EntityKind.ALLOCATION, ("vision", "nothing", "H100-80GB")),
        (EntityKind.ALLOCATION, ("vision", "training", "T4-16GB")),
        (EntityKind.QUEUE, ("fleet", "nothing")),
        (EntityKind.POD, ("fleet", "training", "work-0", "another-uid")),
        (EntityKind.SLURM_JOB, ("island", "8", "")),
        (EntityKind.BALANCE, (entity_id(EntityKind.CLUSTER, "fleet"), "B200", "SLURM")),
        (EntityKind.BALANCE, (entity_id(EntityKind.TENANT, "nobody"), "B200", "SLURM")),
        (EntityKind.BALANCE, (entity_id(EntityKind.NODE, "fleet", "whole"), "B200", "SLURM")),
        (EntityKind.SOURCE, ("kubernetes/nowhere/nodes",)),
    ],
)
def test_what_is_gone_is_null_without_an_error(keeper, kind, parts):
    assert Gateway(keeper).data(AGAIN, id=entity_id(kind, *parts)) == {"entity": None}


def test_a_silent_system_does_not_make_a_thing_look_gone(keeper):
    gateway = Gateway(keeper)
    ids = ids_in(gateway.data(EVERY_ID))
    keeper.touch(RECORDS, NEVER)
    keeper.touch(NODES, NEVER)

    answer = gateway.ask(SEVERAL, ids=ids)

    gone = [place for place, one in enumerate(answer["data"]["entities"]) if one is None]
    assert {error["extensions"]["system"] for error in answer["errors"]} == {"KUBERNETES", "PLATFORM"}
    assert sum(error["extensions"]["count"] for error in answer["errors"]) == len(gone) > 0
    assert {error["path"][0] for error in answer["errors"]} == {"entities"}


@pytest.mark.parametrize(
    "kind",
    [
        (EntityKind.WORKSPACE, ("vision", "training")),
        (EntityKind.ALLOCATION, ("vision", "training", "H100-80GB")),
        (EntityKind.TENANT, ("vision",)),
        (EntityKind.BALANCE, (entity_id(EntityKind.CLUSTER, "fleet"), "H100-80GB", "KUBERNETES")),
        (EntityKind.BALANCE, (entity_id(EntityKind.TENANT, "vision"), "H100-80GB", "KUBERNETES")),
    ],
)
def test_what_only_a_silent_platform_knows_is_its_error(keeper, kind):
    keeper.touch(RECORDS, NEVER)

    error = Gateway(keeper).refusal(AGAIN, id=entity_id(kind[0], *kind[1]))

    assert (error["path"], error["extensions"]["system"]) == (["entity"], "PLATFORM")


def test_slices_of_a_silent_cluster_are_its_error(keeper):
    keeper.touch(NODES, NEVER)
    slices = entity_id(EntityKind.MIG_SLICE, "fleet", "cut", "nvidia.com/mig-1g.10gb", "1g.10gb")

    assert Gateway(keeper).refusal(AGAIN, id=slices)["extensions"]["system"] == "KUBERNETES"


def test_how_many_are_asked_for_at_once_is_bounded(keeper):
    error = Gateway(keeper).refusal(SEVERAL, ids=["x"] * 1_001)

    assert error["message"] == "ids: 1,001 are more than 1,000: ask for some of them at a time"
    assert error["extensions"] == {"code": "INVALID"}
