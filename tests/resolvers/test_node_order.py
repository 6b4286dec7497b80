import pytest

from gateway.fleet.platform import Target
from tests.asking import Gateway
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, some_records
from tests.fleets import FRESH, NEVER, NODES, PODS, SLURM_NODES, a_keeper
from tests.gpu_labels import GPU, mixed, whole

QUERY = """query ($first: Int! = 50, $after: String, $orderBy: NodeOrder) {
  cluster(name: "fleet") {
    nodes(first: $first, after: $after, orderBy: $orderBy) { nodes { name } pageInfo { endCursor } }
  }
}"""


def a_machine_of(name, cards):
    return a_node(name, labels=whole(cards))


def a_page(keeper, by, direction="ASC", **asked):
    order = {"by": by, "direction": direction}
    page = Gateway(keeper).data(QUERY, orderBy=order, **asked)["cluster"]["nodes"]
    return [node["name"] for node in page["nodes"]], page["pageInfo"]["endCursor"]


@pytest.fixture
def keeper():
    """Two machines with as many cards, one with more, one that nobody can count and one that is gone."""
    return a_keeper(
        nodes=[
            a_machine_of("d", 2),
            a_machine_of("b", 2),
            a_machine_of("c", 10),
            a_machine_of("a", "many"),
        ],
        records=some_records(nodes=[a_record("e")]),
    )


@pytest.mark.parametrize(("direction", "known"), [("ASC", ["b", "d", "c"]), ("DESC", ["c", "b", "d"])])
def test_unknown_numbers_come_last_both_ways_and_equal_ones_go_by_name(keeper, direction, known):
    assert a_page(keeper, "CARDS", direction)[0] == [*known, "a", "e"]


@pytest.mark.parametrize("direction", ["ASC", "DESC"])
@pytest.mark.parametrize("by", ["NAME", "CARDS", "FREE_CARDS"])
def test_pages_of_every_order_follow_each_other(keeper, by, direction):
    whole_list, _ = a_page(keeper, by, direction)
    paged, cursor = [], None
    for _ in whole_list:
        names, cursor = a_page(keeper, by, direction, first=1, after=cursor)
        paged += names

    assert (len(whole_list), paged) == (5, whole_list)
    assert a_page(keeper, by, direction, after=cursor)[0] == []


def test_free_cards_are_what_each_scheduler_has_left():
    nodes = [
        a_machine_of("half", 8),
        a_machine_of("full", 8),
        a_node("cut", labels=mixed(3), capacity={GPU: 2, "nvidia.com/mig-1g.10gb": 7}),
        a_node("both", labels=whole(8)),
    ]
    keeper = a_keeper(
        nodes=nodes,
        pods=[a_pod("x", "half", {GPU: 4}), a_pod("y", "full", {GPU: 8})],
        slurm_nodes=[a_slurm_node("island", gres="gpu:h100:6"), a_slurm_node("both", gres="gpu:h100:5")],
        jobs=[a_job("7", {"island": 6})],
        records=some_records(nodes=[a_record("both", target=Target.SLURM)]),
    )

    assert a_page(keeper, "FREE_CARDS")[0] == ["full", "cut", "half", "both", "island"]


@pytest.mark.parametrize(
    ("silent", "by", "system"),
    [
        (PODS, "FREE_CARDS", "KUBERNETES"),
        (SLURM_NODES, "FREE_CARDS", "SLURM"),
        (SLURM_NODES, "CARDS", "SLURM"),
    ],
)
def test_an_order_by_what_a_silent_system_knows_is_its_error(silent, by, system):
    keeper = a_keeper(
        nodes=[a_node("a")],
        pods=[a_pod("x", "a")],
        slurm_nodes=[a_slurm_node("b")],
        records=some_records(nodes=[a_record("b", target=Target.SLURM)]),
    )
    keeper.touch(silent, NEVER)

    error = Gateway(keeper).refusal(QUERY, orderBy={"by": by})

    assert (error["path"], error["extensions"]["system"]) == (["cluster", "nodes"], system)


def test_a_machine_whose_number_changed_moves_and_no_other_does(keeper):
    """It was shown with two cards and comes again with twelve; the rest comes once."""
    first, cursor = a_page(keeper, "CARDS", first=2)
    keeper.change(NODES, {"b": a_machine_of("b", 12)}, FRESH)

    rest, _ = a_page(keeper, "CARDS", after=cursor)

    assert (first, rest) == (["b", "d"], ["c", "b", "a", "e"])
