"""One nested query over all four systems, through the production readers: query in, JSON out."""

import pytest

from tests.journeys.fleets import NOON

MACHINES = """{
  clusters {
    name
    kubernetesVersion
    nodes {
      totalCount
      nodes {
        name
        target
        tenant { displayName }
        ready
        cordoned
        cordonedBy
        gpus {
          type { name }
          cards
          cardsBasis
          wholeCards
          partitionedCards
          sharing { strategy replicas }
          resources { name unit capacity allocatable requested free deficit }
          labelsSince
        }
        migSlices { profile { name computeSlices } unit slices capacity requested free }
        health { healthy usableCards reasons { code } }
        slurm { states reason gres { type configured used } }
        workloads { __typename name state user gpus { unit count } }
        busy
        costPerHour { amount currency }
      }
    }
  }
}"""


@pytest.fixture
def machines(gateway):
    (cluster,) = gateway.data(MACHINES)["clusters"]
    assert (cluster["name"], cluster["kubernetesVersion"]) == ("fleet", "v1.36.3")
    assert cluster["nodes"]["totalCount"] == 7
    return {node.pop("name"): node for node in cluster["nodes"]["nodes"]}


def test_a_machine_of_whole_cards(machines):
    whole = machines["whole"]

    assert whole["gpus"] == {
        "type": {"name": "H100-80GB"},
        "cards": 8,
        "cardsBasis": "GPU_COUNT_LABEL",
        "wholeCards": 8,
        "partitionedCards": 0,
        "sharing": {"strategy": "NONE", "replicas": 1},
        "resources": [
            {
                "name": "nvidia.com/gpu",
                "unit": "CARD",
                "capacity": 8,
                "allocatable": 8,
                "requested": 3,
                "free": 5,
                "deficit": 0,
            }
        ],
        "labelsSince": "2026-03-01T11:00:00Z",
    }
    assert (whole["cordoned"], whole["cordonedBy"]) == (True, "kubectl-cordon")
    assert whole["health"] == {"healthy": True, "usableCards": 8, "reasons": []}
    assert whole["costPerHour"] == {"amount": "20", "currency": "USD"}
    assert whole["workloads"] == [
        {
            "__typename": "Pod",
            "name": "train-0",
            "state": "RUNNING",
            "user": None,
            "gpus": [{"unit": "CARD", "count": 3}],
        }
    ]


def test_a_machine_whose_card_is_cut(machines):
    cut = machines["cut"]

    assert [cut["gpus"][name] for name in ("cards", "wholeCards", "partitionedCards")] == [2, 1, 1]
    assert cut["migSlices"] == [
        {
            "profile": {"name": "1g.10gb", "computeSlices": 1},
            "unit": "SLICE",
            "slices": 7,
            "capacity": 7,
            "requested": 2,
            "free": 5,
        }
    ]
    assert cut["costPerHour"] == {"amount": "2.25", "currency": "USD"}


def test_a_machine_whose_card_is_shared(machines):
    shared = machines["shared"]

    assert shared["gpus"]["cards"] == 1
    assert shared["gpus"]["sharing"] == {"strategy": "TIME_SLICING", "replicas": 4}
    assert [(one["unit"], one["capacity"]) for one in shared["gpus"]["resources"]] == [("SHARE", 4)]
    assert shared["workloads"][0]["gpus"] == [{"unit": "SHARE", "count": 1}]
    assert (shared["target"], shared["tenant"], shared["costPerHour"]) == (None, None, None)


def test_a_machine_of_slurm_that_kubernetes_sees_too(machines):
    both = machines["both"]

    assert (both["target"], both["tenant"]) == ("SLURM", {"displayName": "Språk och 語"})
    assert both["ready"] is False
    assert both["health"] == {"healthy": True, "usableCards": 4, "reasons": []}, "Slurm's word holds"
    assert both["slurm"]["gres"] == [{"type": "h100", "configured": 4, "used": 2}]
    assert both["busy"] is True
    assert [(one["name"], one["user"]) for one in both["workloads"]] == [("språk", "ada")]


def test_a_machine_that_only_slurm_knows(machines):
    island = machines["island"]

    assert (island["ready"], island["cordoned"]) == (None, None)
    assert (island["gpus"]["cards"], island["gpus"]["cardsBasis"]) == (8, "SLURM_GRES")
    assert (island["slurm"]["states"], island["slurm"]["reason"]) == (["DRAIN", "IDLE"], "fan")
    assert island["busy"] is False


def test_a_machine_that_left_and_one_that_makes_no_sense(machines):
    assert [machines["gone"][name] for name in ("ready", "gpus", "health", "costPerHour")] == [None] * 4
    assert machines["odd"]["gpus"]["cards"] is None
    assert machines["odd"]["gpus"]["resources"][0]["capacity"] is None
    assert machines["odd"]["gpus"]["resources"][0]["allocatable"] == 8


def test_from_a_tenant_down_to_what_its_work_holds(gateway):
    asked = """{ tenants { totalCount nodes {
      name
      costPerHour { amount }
      workspaces { nodes {
        name namespaces
        queue { name parent { name } reclaimable podGroups { running } allocated { resource text value } }
        allocations { gpuType { name } cards used headroom borrowed costPerHour { amount currency } }
        pods { nodes { name state podGroup { name } controller priorityClass } }
      } }
    } } }"""

    found = gateway.data(asked)["tenants"]

    speech, vision = found["nodes"]
    assert (found["totalCount"], speech["name"], vision["name"]) == (2, "språk-語", "vision")
    assert (speech["costPerHour"], vision["costPerHour"]) == ({"amount": "30"}, {"amount": "22.25"})
    assert speech["workspaces"]["nodes"] == []
    assert vision["workspaces"]["nodes"] == [
        {
            "name": "training",
            "namespaces": ["vision"],
            "queue": {
                "name": "vision",
                "parent": {"name": "root"},
                "reclaimable": False,
                "podGroups": {"running": 1},
                "allocated": [{"resource": "nvidia.com/gpu", "text": "3", "value": "3"}],
            },
            "allocations": [
                {
                    "gpuType": {"name": "H100-80GB"},
                    "cards": 4,
                    "used": 3,
                    "headroom": 1,
                    "borrowed": 0,
                    "costPerHour": {"amount": "10", "currency": "USD"},
                }
            ],
            "pods": {
                "nodes": [
                    {
                        "name": "infer-0",
                        "state": "RUNNING",
                        "podGroup": None,
                        "controller": None,
                        "priorityClass": None,
                    },
                    {
                        "name": "train-0",
                        "state": "RUNNING",
                        "podGroup": {"name": "train"},
                        "controller": "Job/train",
                        "priorityClass": "high",
                    },
                    {
                        "name": "train-1",
                        "state": "PENDING",
                        "podGroup": {"name": "train"},
                        "controller": None,
                        "priorityClass": None,
                    },
                ]
            },
        }
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
