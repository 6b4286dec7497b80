import pytest

from gateway.errors import Invalid
from resolvers.context import Context
from resolvers.verdict import count_judged
from tests.asking import Gateway
from tests.fleet.scheduling.scenes import node, pod
from tests.fleets import NEVER, NODES, PODS, a_keeper

GPU = "nvidia.com/gpu"
ASK = """query Ask($first: Int = 50, $after: String, $fits: Boolean) {
  pod(cluster: "fleet", namespace: "vision", name: "ask") {
    diagnosis {
      verdict code
      remedies { action text subject { id __typename } }
      steps { check outcome evidence { system path value observedAt } }
      nodes(first: $first, after: $after, fits: $fits) {
        totalCount nodes { node { name } fits reasons { code text } } pageInfo { endCursor hasNextPage }
      }
    }
  }
}"""


def gateway(nodes, ask=None):
    return Gateway(a_keeper(nodes, [ask or pod(asks={GPU: "8"})]))


def found(answer):
    return answer["pod"]["diagnosis"]


def names(diagnosis):
    return [one["node"]["name"] for one in diagnosis["nodes"]["nodes"]]


MIXED = [node("a"), node("b", cordoned=True), node("c"), node("d", has={"pods": "10"})]


def test_nodes_come_in_pages_by_name():
    first = found(gateway(MIXED).data(ASK, first=3))
    after = first["nodes"]["pageInfo"]["endCursor"]
    rest = found(gateway(MIXED).data(ASK, first=3, after=after))

    assert (names(first), names(rest)) == (["a", "b", "c"], ["d"])
    assert first["nodes"]["totalCount"] == 4


def test_only_nodes_that_do_or_only_those_that_do_not():
    does, does_not = (found(gateway(MIXED).data(ASK, fits=fits)) for fits in (True, False))

    assert (names(does), names(does_not)) == (["a", "c"], ["b", "d"])
    assert [one["reasons"] for one in does_not["nodes"]["nodes"]] == [
        [{"code": "CORDONED", "text": "node(s) were unschedulable"}],
        [{"code": "INSUFFICIENT_RESOURCE", "text": f"Insufficient {GPU}"}],
    ]


def test_a_cursor_of_all_nodes_is_none_of_those_that_do():
    after = found(gateway(MIXED).data(ASK, first=1))["nodes"]["pageInfo"]["endCursor"]

    assert "another list" in gateway(MIXED).refusal(ASK, after=after, fits=True)["message"]


def test_a_remedy_names_what_to_do_it_to():
    diagnosis = found(gateway([node("a", cordoned=True)]).data(ASK))

    (remedy,) = diagnosis["remedies"]
    assert (remedy["action"], remedy["subject"]["__typename"]) == ("UNCORDON", "Node")


def test_a_node_whose_volumes_decide_is_neither():
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    asked = gateway([node("a")], pod(volumes=volumes))

    assert found(asked.data(ASK))["nodes"]["nodes"][0]["fits"] is None
    assert [names(found(asked.data(ASK, fits=fits))) for fits in (True, False)] == [[], []]


def test_silent_nodes_leave_it_open_and_are_an_error_where_they_would_be_counted():
    keeper = a_keeper([node("a")], [pod()])
    keeper.touch(NODES, NEVER)

    answer = Gateway(keeper).ask(ASK)

    diagnosis = found(answer["data"])
    assert {one["outcome"] for one in diagnosis["steps"] if one["check"] == "TAINTS"} == {"UNKNOWN"}
    assert diagnosis["nodes"]["totalCount"] is None
    assert [error["path"][-1] for error in answer["errors"]] == ["totalCount"]


def test_silent_pods_are_no_pods_to_ask_about():
    keeper = a_keeper([node("a")], [pod()])
    keeper.touch(PODS, NEVER)

    (error,) = Gateway(keeper).ask(ASK)["errors"]

    assert error["path"] == ["pod"]


def test_one_pod_is_judged_on_any_cluster_and_many_on_a_large_one_are_too_much_for_one_request():
    keeper = a_keeper()
    context = Context(pin=keeper.pin, fleet=keeper.pin())
    count_judged(context, 60_000, "diagnosis")

    with pytest.raises(Invalid, match="diagnosis: one request has at most 10,000 nodes judged"):
        count_judged(context, 60_000, "diagnosis")
