"""Nested queries over all four systems, through the production readers: query in, JSON out."""

from tests.journeys.fleets import NOON

TENANTS = """{ tenants { totalCount nodes {
  name
  costPerHour { amount }
  workspaces { nodes {
    name namespaces
    queue { name parent { name } reclaimable podGroups { running } allocated { resource text value } }
    allocations { gpuType { name } cards used headroom borrowed costPerHour { amount currency } }
    pods { nodes { name state podGroup { name } controller priorityClass } }
  } }
} } }"""


def test_from_the_tenants_to_what_they_pay_and_were_given(gateway):
    found = gateway.data(TENANTS)["tenants"]

    speech, vision = found["nodes"]
    assert (found["totalCount"], speech["name"], vision["name"]) == (2, "språk-語", "vision")
    assert (speech["costPerHour"], vision["costPerHour"]) == ({"amount": "30"}, {"amount": "22.25"})
    assert speech["workspaces"]["nodes"] == []
    (training,) = vision["workspaces"]["nodes"]
    assert training["allocations"] == [
        {
            "gpuType": {"name": "H100-80GB"},
            "cards": 4,
            "used": 3,
            "headroom": 1,
            "borrowed": 0,
            "costPerHour": {"amount": "10", "currency": "USD"},
        }
    ]


def test_from_a_workspace_to_its_queue_and_its_pods(gateway):
    (training,) = gateway.data(TENANTS)["tenants"]["nodes"][1]["workspaces"]["nodes"]

    assert (training["name"], training["namespaces"]) == ("training", ["vision"])
    assert training["queue"] == {
        "name": "vision",
        "parent": {"name": "root"},
        "reclaimable": False,
        "podGroups": {"running": 1},
        "allocated": [{"resource": "nvidia.com/gpu", "text": "3", "value": "3"}],
    }
    assert [tuple(pod.values()) for pod in training["pods"]["nodes"]] == [
        ("infer-0", "RUNNING", None, None, None),
        ("train-0", "RUNNING", {"name": "train"}, "Job/train", "high"),
        ("train-1", "PENDING", {"name": "train"}, None, None),
    ]


def test_the_account_of_the_cluster_adds_up(gateway):
    asked = """{ clusters { capacity {
      gpuType { name } target physical healthy schedulable partitioned allocated used available deficit
      slices { profile { name } capacity requested free } costPerHour { amount }
    } } }"""

    (cluster,) = gateway.data(asked)["clusters"]

    lines = {((one["gpuType"] or {}).get("name"), one["target"]): one for one in cluster["capacity"]}
    numbers = (
        "physical",
        "healthy",
        "schedulable",
        "partitioned",
        "allocated",
        "used",
        "available",
        "deficit",
    )
    assert {key: [line[name] for name in numbers] for key, line in lines.items()} == {
        ("A100-80GB", "KUBERNETES"): [2, 2, 2, 1, 0, 0, 2, 0],
        ("H100-80GB", "KUBERNETES"): [8, 8, 0, 0, 4, 3, 4, 0],
        ("H100-80GB", "SLURM"): [12, 12, 4, 0, 2, 2, 2, 0],
        ("T4-16GB", None): [1, 1, 1, 0, None, 0, None, None],
        (None, "KUBERNETES"): [None, None, None, None, 0, 0, None, None],
    }
    assert lines["A100-80GB", "KUBERNETES"]["slices"] == [
        {"profile": {"name": "1g.10gb"}, "capacity": 7, "requested": 2, "free": 5}
    ]
    assert lines["H100-80GB", "SLURM"]["costPerHour"] == {"amount": "30"}


def test_the_queues_say_what_they_mean_and_what_cannot_be_read(gateway):
    asked = """{ clusters { queues {
      name state unknowns { field }
      capability { resource text value } deserved { resource value } guarantee { value }
      missingFromDeserved reclaim { scheduler blockedAsAsker blockedAsHolder }
    } } }"""

    root, vision = gateway.data(asked)["clusters"][0]["queues"]

    assert (root["name"], root["capability"], root["unknowns"]) == ("root", None, [])
    assert root["reclaim"]["scheduler"] == "Volcano v1.13.3 with plugin capacity"
    amounts = {one["resource"]: (one["text"], one["value"]) for one in vision["capability"]}
    assert amounts == {"cpu": ("100", "100"), "memory": ("lots", None), "nvidia.com/gpu": ("10", "10")}
    assert vision["deserved"] == [{"resource": "nvidia.com/gpu", "value": "4"}]
    assert vision["guarantee"] == [{"value": "2"}]
    assert {one["field"] for one in vision["unknowns"]} == {"capability[memory].value", "reclaim"}


def test_what_could_not_be_read_is_named_by_its_source(gateway):
    sources = gateway.data("{ sources { name state objects skipped { subject path raw since } } }")["sources"]

    by_name = {one["name"]: one for one in sources}
    assert {one["state"] for one in sources} <= {"FRESH", "ABSENT"}
    assert by_name["kubernetes/fleet/nodes"]["objects"] == 6
    assert {name: one["skipped"] for name, one in by_name.items() if one["skipped"]} == {
        "kubernetes/fleet/nodes": [
            {
                "subject": "nodes/odd",
                "path": "status.capacity[nvidia.com/gpu]",
                "raw": "eight",
                "since": "2026-03-01T12:00:00Z",
            }
        ],
        "queues/fleet/queues": [
            {
                "subject": "queues/vision",
                "path": "spec.capability[memory]",
                "raw": "lots",
                "since": "2026-03-01T12:00:00Z",
            }
        ],
    }


def test_the_moment_of_an_answer_is_the_bundles(gateway):
    sources = gateway.ask("{ clusters { queues { name } } }")["extensions"]["sources"]

    assert {one["observedAt"] for one in sources} == {f"{NOON:%Y-%m-%dT%H:%M:%S}Z"}
