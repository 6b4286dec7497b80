from dataclasses import replace

from gateway.errors import System
from gateway.fleet.quantity import quantity
from tests.asking import Gateway
from tests.builders import a_pod_group, a_queue
from tests.fleets import ABSENT, NEVER, POD_GROUPS, PODS, a_keeper
from tests.scheduling import SCHEDULER, Scene, a_scheduler


def of_queues(keeper, asked):
    return Gateway(keeper).data(f"{{ clusters {{ queues {{ {asked} }} }} }}")["clusters"][0]["queues"]


def test_pod_groups_are_counted_by_phase_over_the_groups_themselves():
    phases = ["Running", "Running", "Pending", "Inqueue", "Unknown", "Completed", "Odd"]
    groups = [a_pod_group(f"g{at}", phase=phase) for at, phase in enumerate(phases)]
    keeper = a_keeper(queues=[a_queue(), a_queue("other")], pod_groups=groups)

    counts = "podGroups { pending inqueue running unknown completed }"
    other, training = of_queues(keeper, f"name {counts}")

    assert training["podGroups"] == {"pending": 1, "inqueue": 1, "running": 2, "unknown": 1, "completed": 1}
    assert set(other["podGroups"].values()) == {0}


def test_queues_without_pod_groups_served_tell_of_none():
    keeper = a_keeper(queues=[a_queue()])
    keeper.replace(POD_GROUPS, {}, ABSENT)

    asked = "podGroups { running } missingFromDeserved reclaim { explanation } unknowns { field }"
    assert of_queues(keeper, asked) == [
        {"podGroups": None, "missingFromDeserved": None, "reclaim": None, "unknowns": []}
    ]


def test_pod_groups_that_are_silent_are_null_and_listed():
    keeper = a_keeper(queues=[a_queue()])
    keeper.touch(POD_GROUPS, NEVER)

    answer = Gateway(keeper).ask(
        "{ clusters { queues { name podGroups { running } unknowns { field system } } } }"
    )

    (queue,) = answer["data"]["clusters"][0]["queues"]
    assert queue == {
        "name": "training",
        "podGroups": None,
        "unknowns": [
            {"field": field, "system": "QUEUES"} for field in ("podGroups", "missingFromDeserved", "reclaim")
        ],
    }
    assert [error["extensions"]["system"] for error in answer["errors"]] == ["QUEUES"]


def test_amounts_are_shown_as_written_and_exactly():
    amounts = ("129e6", "1500m", "13Gi", "0.1", "lots")
    queue = replace(
        a_queue(), deserved=tuple(quantity(f"r{at}", text, System.QUEUES) for at, text in enumerate(amounts))
    )

    (found,) = of_queues(
        a_keeper(queues=[queue]), "deserved { resource text value unlimited } unknowns { field reason }"
    )

    assert [(one["text"], one["value"]) for one in found["deserved"]] == [
        ("129e6", "129000000"),
        ("1500m", "1.5"),
        ("13Gi", "13958643712"),
        ("0.1", "0.1"),
        ("lots", None),
    ]
    assert [one["field"] for one in found["unknowns"]] == ["deserved[r4].value", "reclaim"]


def test_what_a_queue_does_not_say_is_null_and_not_empty():
    (found,) = of_queues(
        a_keeper(queues=[a_queue()]),
        "capability { text } deserved { text } guarantee { text } allocated { text }",
    )

    assert found == {"capability": None, "deserved": None, "guarantee": None, "allocated": None}


def test_a_parent_that_is_not_there_is_null():
    assert of_queues(a_keeper(queues=[a_queue(parent="gone")]), "parent { name }") == [{"parent": None}]


GPUS = {"nvidia.com/gpu": 8}
RECLAIM = "reclaim { scheduler blockedAsAsker blockedAsHolder explanation }"


def test_tells_what_cannot_be_taken_back_and_why():
    scene = Scene().queue("prod", GPUS).waits("prod", {"cpu": 4, "nvidia.com/gpu": 2})

    (found,) = of_queues(scene.keeper(a_scheduler("v1.13.0")), f"missingFromDeserved {RECLAIM}")

    assert found["missingFromDeserved"] == ["cpu"]
    assert (
        found["reclaim"]
        .pop("explanation")
        .startswith("Pods that ask cpu, nvidia.com/gpu take nothing back, since deserved lacks cpu.")
    )
    assert found["reclaim"] == {
        "scheduler": "Volcano v1.13.0 with plugin capacity",
        "blockedAsAsker": ["cpu", "nvidia.com/gpu"],
        "blockedAsHolder": [],
    }


def test_what_an_unknown_scheduler_leaves_open_is_null_and_listed():
    scene = Scene().queue("prod", GPUS).waits("prod", {"cpu": 4, "nvidia.com/gpu": 2})

    (found,) = of_queues(scene.keeper(), f"{RECLAIM} unknowns {{ field code }}")

    assert found["reclaim"].pop("explanation").startswith("It is not known which scheduler runs")
    assert set(found["reclaim"].values()) == {None}
    assert found["unknowns"] == [
        {"field": f"reclaim.{name}", "code": "UNDETERMINED"}
        for name in ("scheduler", "blockedAsAsker", "blockedAsHolder")
    ]


def test_a_silent_scheduler_is_an_error_of_its_name_and_of_what_it_would_decide():
    keeper = Scene().queue("prod", GPUS).waits("prod", {"nvidia.com/gpu": 2}).keeper()
    keeper.touch(SCHEDULER, NEVER)

    answer = Gateway(keeper).ask(f"{{ clusters {{ queues {{ {RECLAIM} }} }} }}")

    (queue,) = answer["data"]["clusters"][0]["queues"]
    assert "queues/fleet/scheduler was never reached" in queue["reclaim"]["explanation"]
    silent = {"scheduler", "blockedAsAsker", "blockedAsHolder"}
    assert {error["path"][-1] for error in answer["errors"]} == silent & queue["reclaim"].keys()


def test_without_the_pods_nothing_is_said_of_what_is_asked():
    keeper = Scene().queue("prod", GPUS).waits("prod", {"nvidia.com/gpu": 2}).keeper(a_scheduler())
    keeper.touch(PODS, NEVER)

    answer = Gateway(keeper).ask(f"{{ clusters {{ queues {{ missingFromDeserved {RECLAIM} }} }} }}")

    assert answer["data"]["clusters"][0]["queues"] == [{"missingFromDeserved": None, "reclaim": None}]
    assert {error["extensions"]["system"] for error in answer["errors"]} == {"KUBERNETES"}
