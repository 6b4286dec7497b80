from dataclasses import replace
from datetime import timedelta

from gateway.errors import System
from gateway.fleet.desired import (
    BlockCause,
    Blocker,
    CardLayout,
    MigLayout,
    ProfileCount,
    ReconcilePhase,
)
from gateway.fleet.unknown import undetermined
from tests.asking import Gateway
from tests.builders import NOON, a_node, a_pod, a_record, some_records
from tests.fleets import Hands, a_keeper
from tests.wishes import a_desired, a_health_report, an_observed


def node_of(gateway, asked):
    return gateway.data(f'{{ node(cluster: "fleet", name: "gpu-01") {{ {asked} }} }}')["node"]


def gateway_of(pods=(), **told):
    record = replace(a_record(), **told)
    return Gateway(a_keeper([a_node()], pods, some_records([record])))


def test_what_is_asked_is_shown_as_it_was_asked():
    cards = CardLayout(devices=(0, 1), profiles=(ProfileCount(profile="1g.10gb", count=7),))
    wish = a_desired(3, MigLayout(cards=(cards,)), cordoned=True)

    shown = node_of(
        gateway_of(desired=wish),
        """desired {
          cordoned cordonReason generation changedBy
          migLayout { config cards { devices profiles { profile count } } }
        }""",
    )

    assert shown["desired"] == {
        "cordoned": True,
        "cordonReason": "a fan is loud",
        "generation": 3,
        "changedBy": "ada",
        "migLayout": {
            "config": None,
            "cards": [{"devices": [0, 1], "profiles": [{"profile": "1g.10gb", "count": 7}]}],
        },
    }


def test_a_node_of_which_nothing_was_asked_has_neither_wish_nor_progress():
    shown = node_of(gateway_of(), "desired { generation } observed { phase } reportedHealth { healthy }")

    assert shown == {"desired": None, "observed": None, "reportedHealth": None}


def test_what_cannot_be_read_of_a_wish_is_null_with_the_reason_and_the_holder_stands():
    why = undetermined(System.PLATFORM, "node_record fleet/gpu-01: desired_layout: 7; correct it first")

    shown = node_of(
        gateway_of(desired=why, observed=why, reported_health=why),
        """target desired { generation } observed { phase } reportedHealth { healthy }
        unknowns { field reason }""",
    )

    assert shown["target"] == "KUBERNETES"
    assert (shown["desired"], shown["observed"], shown["reportedHealth"]) == (None, None, None)
    told = {one["field"]: one["reason"] for one in shown["unknowns"]}
    assert {name: told[name] for name in ("desired", "observed", "reportedHealth")} == dict.fromkeys(
        ("desired", "observed", "reportedHealth"), why.reason
    )


def test_a_blocker_leads_to_the_workload_as_long_as_that_is_there():
    pod = a_pod("train-0")
    other = replace(pod, uid="uid-of-a-namesake")
    blockers = [
        Blocker(cause=BlockCause.WORKLOAD, name="training/train-0", workload_id=pod.id),
        Blocker(cause=BlockCause.WORKLOAD, name="training/train-0", workload_id=other.id),
        Blocker(cause=BlockCause.PERSON, name="kubectl"),
    ]
    observed = an_observed(ReconcilePhase.BLOCKED, 1, *blockers)

    shown = node_of(
        gateway_of([pod], desired=a_desired(), observed=observed),
        "observed { phase converged blockers { cause name workload { name } } }",
    )

    assert shown["observed"] == {
        "phase": "BLOCKED",
        "converged": False,
        "blockers": [
            {"cause": "WORKLOAD", "name": "training/train-0", "workload": {"name": "train-0"}},
            {"cause": "WORKLOAD", "name": "training/train-0", "workload": None},
            {"cause": "PERSON", "name": "kubectl", "workload": None},
        ],
    }


def test_reported_health_is_withheld_once_it_is_older_than_stale_after():
    clock = Hands()
    record = replace(a_record(), reported_health=a_health_report(NOON - timedelta(minutes=5)))
    keeper = a_keeper([a_node()], records=some_records([record]), clock=clock)
    asked = "reportedHealth { healthy reasons { code message } checkedAt } unknowns { field code observedAt }"

    in_time = node_of(Gateway(keeper), asked)
    clock.now += timedelta(seconds=1)
    answer = Gateway(keeper).ask(f'{{ node(cluster: "fleet", name: "gpu-01") {{ {asked} }} }}')

    assert in_time["reportedHealth"] == {
        "healthy": False,
        "reasons": [{"code": "CARDS_LOST", "message": "7 of 8 cards"}],
        "checkedAt": "2026-11-29T11:55:00Z",
    }
    assert in_time["unknowns"] == []
    (error,) = answer["errors"]
    assert answer["data"]["node"]["reportedHealth"] is None
    assert error["extensions"]["code"] == "SOURCE_STALE"
    assert {"field": "reportedHealth", "code": "SOURCE_STALE", "observedAt": "2026-11-29T11:55:00Z"} in (
        answer["data"]["node"]["unknowns"]
    )
