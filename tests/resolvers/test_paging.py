import base64
import hashlib
import json

import pytest

from gateway.errors import Invalid
from gateway.fleet.platform import Target
from gateway.fleet.workload import WorkloadState
from resolvers.inputs import NodeFilter, NodeOrder, NodeOrderField, PodFilter, WorkspaceRef
from resolvers.paging import Asked, page
from tests.asking import Gateway
from tests.builders import a_node, a_pod
from tests.fleets import FRESH, NODES, a_keeper

NAMES = ["a", "b", "c", "d", "e"]
NODES_QUERY = """query ($first: Int! = 2, $after: String, $filter: NodeFilter, $orderBy: NodeOrder) {
  cluster(name: "fleet") {
    nodes(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount
      nodes { name }
      edges { cursor node { name } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}"""


@pytest.fixture
def keeper():
    return a_keeper(nodes=[a_node(name) for name in NAMES])


def nodes(gateway, **variables):
    return gateway.data(NODES_QUERY, **variables)["cluster"]["nodes"]


def names(page):
    return [node["name"] for node in page["nodes"]]


def test_pages_follow_each_other_until_the_end(keeper):
    gateway = Gateway(keeper)
    first = nodes(gateway)
    second = nodes(gateway, after=first["pageInfo"]["endCursor"])
    third = nodes(gateway, after=second["pageInfo"]["endCursor"])

    assert [names(one) for one in (first, second, third)] == [["a", "b"], ["c", "d"], ["e"]]
    assert [one["totalCount"] for one in (first, second, third)] == [5, 5, 5]
    ends = [
        (one["pageInfo"]["hasPreviousPage"], one["pageInfo"]["hasNextPage"]) for one in (first, second, third)
    ]
    assert ends == [(False, True), (True, True), (True, False)]


def test_every_row_has_the_cursor_of_the_page_that_starts_after_it(keeper):
    gateway = Gateway(keeper)
    whole = nodes(gateway, first=5)

    after_b = nodes(gateway, first=5, after=whole["edges"][1]["cursor"])

    assert whole["pageInfo"]["startCursor"] == whole["edges"][0]["cursor"]
    assert whole["pageInfo"]["endCursor"] == whole["edges"][-1]["cursor"]
    assert names(after_b) == ["c", "d", "e"]


def test_an_empty_page_has_no_cursors():
    page = nodes(Gateway(a_keeper()))

    assert page["pageInfo"] == {
        "hasNextPage": False,
        "hasPreviousPage": False,
        "startCursor": None,
        "endCursor": None,
    }
    assert (page["totalCount"], page["edges"]) == (0, [])


def test_rows_that_come_and_go_between_pages_neither_repeat_nor_hide_others(keeper):
    gateway = Gateway(keeper)
    first = nodes(gateway)
    keeper.change(NODES, {"b": None, "aa": a_node("aa"), "cc": a_node("cc")}, FRESH)

    second = nodes(gateway, after=first["pageInfo"]["endCursor"])

    assert names(second) == ["c", "cc"]


def test_an_order_may_be_turned_around(keeper):
    gateway = Gateway(keeper)
    order = {"by": "NAME", "direction": "DESC"}
    first = nodes(gateway, orderBy=order)
    second = nodes(gateway, orderBy=order, after=first["pageInfo"]["endCursor"])

    assert [*names(first), *names(second)] == ["e", "d", "c", "b"]


@pytest.mark.parametrize(
    "other",
    [
        {"filter": {"names": ["c"]}},
        {"filter": {"includeNonGpu": True}},
        {"orderBy": {"by": "NAME", "direction": "DESC"}},
    ],
)
def test_a_cursor_is_of_one_list_one_filter_and_one_order(keeper, other):
    gateway = Gateway(keeper)
    cursor = nodes(gateway)["pageInfo"]["endCursor"]

    error = gateway.refusal(NODES_QUERY, after=cursor, **other)

    assert error["extensions"] == {"code": "INVALID"}
    assert error["message"] == "after: this cursor is of another list, filter or order: start without it"


def test_a_cursor_of_machines_is_none_of_pods(keeper):
    gateway = Gateway(keeper)
    cursor = nodes(gateway)["pageInfo"]["endCursor"]

    error = gateway.refusal(
        'query ($after: String) { cluster(name: "fleet") { pods(after: $after) { totalCount } } }',
        after=cursor,
    )

    assert (error["path"], error["extensions"]) == (["cluster", "pods"], {"code": "INVALID"})


@pytest.mark.parametrize(
    "same",
    [
        {"filter": None},
        {"filter": {}},
        {"filter": {"unassigned": False, "names": None}},
        {"orderBy": {"by": "NAME"}},
    ],
)
def test_what_says_nothing_new_leaves_the_list_as_it_is(keeper, same):
    gateway = Gateway(keeper)
    cursor = nodes(gateway)["pageInfo"]["endCursor"]

    assert names(nodes(gateway, after=cursor, **same)) == ["c", "d"]


@pytest.mark.parametrize("first", [0, -1, 1001, 2_147_483_647])
def test_a_page_is_bounded(keeper, first):
    error = Gateway(keeper).refusal(NODES_QUERY, first=first)

    assert (error["path"], error["extensions"]) == (["cluster", "nodes"], {"code": "INVALID"})
    assert error["message"] == f"first: {first} is not from 1 to 1,000"


def test_null_does_not_lift_the_bound(keeper):
    literal = Gateway(keeper).refusal('{ cluster(name: "fleet") { nodes(first: null) { totalCount } } }')
    variable = Gateway(keeper).refusal(
        'query ($first: Int) { cluster(name: "fleet") { nodes(first: $first) { totalCount } } }', first=None
    )

    assert "Int!" in literal["message"]
    assert "non-null type 'Int!' not to be None" in variable["message"]


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    ["", "x", "???", "språk", encoded(7), encoded([]), encoded([1, "a"]), encoded({"a": 1}), "W1tb" * 30_000],
)
def test_a_text_that_is_no_cursor_is_refused_with_the_fix(keeper, text):
    error = Gateway(keeper).refusal(NODES_QUERY, after=text)

    assert error["extensions"] == {"code": "INVALID"}
    assert error["message"].endswith("is no cursor: pass an endCursor of this list")
    assert len(error["message"]) < 150


def cursor_of(*scope):
    return page([(("a",), "row")], Asked(first=1, after=None, scope=scope)).page_info.end_cursor


def test_cursors_are_the_same_in_every_replica_and_release():
    """What is signed is the text of what a caller said, and nothing that Python makes of it."""
    wanted = NodeFilter(names=["a"], targets=[Target.SLURM], include_non_gpu=True)

    cursor = cursor_of("nodes", "fleet", wanted, NodeOrder(by=NodeOrderField.NAME))

    said = '["nodes","fleet",{"include_non_gpu":true,"names":["a"],"targets":["SLURM"]},{"by":"NAME"}]'
    mark = hashlib.blake2s(said.encode(), digest_size=6).hexdigest()
    assert json.loads(base64.urlsafe_b64decode(cursor + "==")) == [mark, "a"]


def test_every_part_of_a_filter_tells_lists_apart():
    wanted = [
        PodFilter(),
        PodFilter(states=[WorkloadState.RUNNING]),
        PodFilter(states=[WorkloadState.PENDING]),
        PodFilter(workspace=WorkspaceRef(tenant="a", name="b")),
        PodFilter(workspace=WorkspaceRef(tenant="a", name="c")),
        PodFilter(queue="a"),
        PodFilter(names=["a"]),
        PodFilter(namespaces=["a"]),
        PodFilter(include_non_gpu=True),
    ]

    assert len({cursor_of("pods", one) for one in wanted}) == len(wanted)


def test_what_cannot_tell_a_list_from_others_is_a_mistake_of_ours():
    with pytest.raises(TypeError, match="cannot tell a list from others"):
        cursor_of(object())


def test_a_direct_call_refuses_too():
    with pytest.raises(Invalid, match="first: 0 is not from 1 to 1,000"):
        page([], Asked(first=0, after=None, scope=()))


def test_pods_of_several_namespaces_page_by_namespace_and_name():
    pods = [a_pod("b", namespace="x"), a_pod("a", namespace="y"), a_pod("c", namespace="x")]
    gateway = Gateway(a_keeper(nodes=[a_node()], pods=pods))
    query = """query ($after: String) { cluster(name: "fleet") {
      pods(first: 2, after: $after) { nodes { namespace name } pageInfo { endCursor } }
    } }"""

    first = gateway.data(query)["cluster"]["pods"]
    second = gateway.data(query, after=first["pageInfo"]["endCursor"])["cluster"]["pods"]

    found = [(pod["namespace"], pod["name"]) for pod in [*first["nodes"], *second["nodes"]]]
    assert found == [("x", "b"), ("x", "c"), ("y", "a")]
