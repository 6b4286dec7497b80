from dataclasses import replace

from gateway.fleet.desired import Controller
from tests.asking import Gateway
from tests.builders import some_records
from tests.fleets import ABSENT, NEVER, RECORDS, a_keeper

ASKED = "{ controllers { name leader epoch paused pausedBy reason inChange maxInChange } }"
LED = Controller(
    name="node-reconciler/fleet",
    leader="gpu-gateway-1",
    epoch=4,
    paused=False,
    paused_by=None,
    reason=None,
    in_change=1,
    max_in_change=2,
)
PAUSED = replace(LED, name="node-reconciler/east", paused=True, paused_by="ada", reason="maintenance")


def keeper_of(*controllers):
    records = replace(some_records(), controllers={one.name: one for one in controllers})
    return a_keeper(records=records)


def test_controllers_come_by_name_with_who_leads_and_who_stopped_them():
    east, fleet = Gateway(keeper_of(LED, PAUSED)).data(ASKED)["controllers"]

    assert (east["name"], east["paused"], east["pausedBy"], east["reason"]) == (
        "node-reconciler/east",
        True,
        "ada",
        "maintenance",
    )
    assert fleet == {
        "name": "node-reconciler/fleet",
        "leader": "gpu-gateway-1",
        "epoch": 4,
        "paused": False,
        "pausedBy": None,
        "reason": None,
        "inChange": 1,
        "maxInChange": 2,
    }


def test_silent_records_withhold_them_and_missing_records_have_none():
    keeper = keeper_of(LED)
    keeper.touch(RECORDS, ABSENT)
    assert Gateway(keeper).data(ASKED) == {"controllers": None}

    keeper.touch(RECORDS, NEVER)
    answer = Gateway(keeper).ask(ASKED)
    assert answer["data"] == {"controllers": None}
    assert answer["errors"][0]["extensions"]["code"] == "SOURCE_UNAVAILABLE"
