from tests.asking import Gateway
from tests.builders import a_node, a_pod, a_record, some_records
from tests.fleets import NEVER, PODS, a_keeper

IMPACT = """query ($of: ImpactInput!) { impact(of: $of) {
  workloads { name } notRecreated { name } hidden evicts cards message
} }"""
GPU_01 = {"cluster": "fleet", "name": "gpu-01"}


def keeper_of(*pods):
    return a_keeper([a_node()], pods, some_records([a_record()]))


def test_tells_who_would_be_hurt_and_what_nobody_would_make_again():
    gateway = Gateway(keeper_of(a_pod("train-0")))

    hurt = gateway.data(IMPACT, of={"releaseNode": {"node": GPU_01}})["impact"]
    nobody = gateway.data(IMPACT, of={"setCordon": {"node": GPU_01, "cordoned": True}})["impact"]

    assert [one["name"] for one in hurt["workloads"]] == ["train-0"]
    assert [one["name"] for one in hurt["notRecreated"]] == ["train-0"]
    assert (hurt["evicts"], hurt["hidden"], hurt["cards"]) == (False, False, 8)
    assert (nobody["workloads"], nobody["message"]) == (
        [],
        "gpu-01 takes no new work; what runs there goes on",
    )


def test_silence_withholds_the_work_and_is_an_error():
    keeper = keeper_of(a_pod("train-0"))
    keeper.touch(PODS, NEVER)

    answer = Gateway(keeper).ask(IMPACT, of={"releaseNode": {"node": GPU_01}})

    assert answer["data"]["impact"]["workloads"] is None
    assert {one["extensions"]["code"] for one in answer["errors"]} == {"SOURCE_UNAVAILABLE"}


def test_what_is_not_there_is_an_error_of_its_own():
    gateway = Gateway(keeper_of())
    asked = {"setCordon": {"node": {"cluster": "fleet", "name": "gpu-02"}, "cordoned": True}}

    refused = gateway.refusal(IMPACT, of=asked)

    assert refused["extensions"] == {"code": "NOT_FOUND"}
    assert "gpu-01" in refused["message"]


def test_what_makes_no_sense_is_an_error_of_its_own():
    gateway = Gateway(keeper_of())
    asked = {"setMigLayout": {"node": GPU_01, "layout": {"config": "all-disabled"}}}

    asked["setMigLayout"]["acknowledgedWorkloads"] = ["no id of this graph"]

    assert gateway.refusal(IMPACT, of=asked)["extensions"] == {"code": "INVALID"}
