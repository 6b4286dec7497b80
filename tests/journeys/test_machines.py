"""One nested query over the machines of all four systems, through the production readers."""

import pytest

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
