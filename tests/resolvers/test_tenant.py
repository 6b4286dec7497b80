from gateway.fleet.platform import Target
from tests.asking import Gateway
from tests.builders import a_node, a_price, a_record, a_slurm_node, a_workspace, some_records
from tests.fleets import NEVER, NODES, SLURM_NODES, a_keeper
from tests.gpu_labels import A100, GPU, H100, mixed


def a_site():
    return a_keeper(
        nodes=[
            a_node("whole"),
            a_node("cut", mixed(2), {GPU: 1, "nvidia.com/mig-1g.10gb": 7}),
            a_node("others"),
        ],
        slurm_nodes=[a_slurm_node("island")],
        records=some_records(
            nodes=[
                a_record("whole"),
                a_record("cut"),
                a_record("gone"),
                a_record("island", Target.SLURM),
                a_record("others", tenant="speech"),
            ],
            workspaces=[a_workspace("b"), a_workspace("a", {H100: 1}), a_workspace("c", {}, tenant="speech")],
            prices={H100: [a_price("2.50")], A100: [a_price("1.25")]},
        ),
    )


def of_tenant(keeper, asked, name="vision"):
    return Gateway(keeper).data(f'{{ tenant(name: "{name}") {{ {asked} }} }}')["tenant"]


def test_its_machines_are_those_that_records_give_to_it_the_gone_ones_too():
    found = of_tenant(a_site(), "nodes { totalCount nodes { name knownTo } }")["nodes"]

    assert [(one["name"], one["knownTo"]) for one in found["nodes"]] == [
        ("cut", ["KUBERNETES", "PLATFORM"]),
        ("gone", ["PLATFORM"]),
        ("island", ["PLATFORM", "SLURM"]),
        ("whole", ["KUBERNETES", "PLATFORM"]),
    ]
    assert found["totalCount"] == 4


def test_its_machines_can_be_chosen_and_turned_around():
    asked = (
        'nodes(filter: {gpuTypes: ["H100-80GB"]}, orderBy: {by: NAME, direction: DESC}) { nodes { name } }'
    )

    assert of_tenant(a_site(), asked)["nodes"]["nodes"] == [{"name": "whole"}, {"name": "island"}]


def test_its_workspaces_are_sorted_by_name():
    found = of_tenant(a_site(), "workspaces(first: 1) { totalCount nodes { name } pageInfo { hasNextPage } }")

    assert found["workspaces"] == {
        "totalCount": 2,
        "nodes": [{"name": "a"}],
        "pageInfo": {"hasNextPage": True},
    }


def test_its_account_has_only_the_types_that_it_holds():
    lines = of_tenant(a_site(), "capacity { gpuType { name } target physical allocated available deficit }")[
        "capacity"
    ]

    assert [tuple(line.values()) for line in lines] == [
        ({"name": A100}, "KUBERNETES", 2, 0, 2, 0),
        ({"name": H100}, "KUBERNETES", 8, 5, 3, 0),
        ({"name": H100}, "SLURM", 8, 0, 8, 0),
    ]


def test_its_account_can_be_chosen_from_and_never_shows_another_tenants():
    asked = """capacity(filter: {tenants: ["speech"]}) { physical }
               free: capacity(filter: {unassigned: true}) { physical }"""

    assert of_tenant(a_site(), asked) == {"capacity": [], "free": []}
    chosen = of_tenant(a_site(), 'capacity(filter: {tenants: ["vision"], targets: [SLURM]}) { physical }')
    assert chosen["capacity"] == [{"physical": 8}]


def test_it_pays_for_its_machines_and_not_for_those_that_are_gone():
    cost = of_tenant(a_site(), "costPerHour { amount currency }")["costPerHour"]

    assert cost == {"amount": "42.5", "currency": "USD"}  # (8 + 8) x 2.50 + 2 x 1.25


def test_a_tenant_without_machines_pays_nothing_and_that_is_no_number():
    keeper = a_keeper(records=some_records(workspaces=[a_workspace()]))

    assert of_tenant(keeper, "costPerHour { amount } nodes { totalCount }") == {
        "costPerHour": None,
        "nodes": {"totalCount": 0},
    }


def test_machines_of_a_silent_cluster_are_not_left_out_of_its_cost_and_account():
    keeper = a_site()
    keeper.touch(NODES, NEVER)

    answer = Gateway(keeper).ask(
        '{ tenant(name: "vision") { costPerHour { amount } capacity { physical } } }'
    )

    assert answer["data"]["tenant"] == {"costPerHour": None, "capacity": None}
    assert {error["extensions"]["system"] for error in answer["errors"]} == {"KUBERNETES"}


def test_machines_of_a_silent_slurm_make_no_partial_sums():
    keeper = a_site()
    keeper.touch(SLURM_NODES, NEVER)

    answer = Gateway(keeper).ask(
        '{ tenant(name: "vision") { costPerHour { amount } capacity { target physical } } }'
    )

    assert answer["data"]["tenant"]["costPerHour"] is None
    lines = {(one["target"], one["physical"]) for one in answer["data"]["tenant"]["capacity"]}
    assert lines == {("KUBERNETES", 2), ("KUBERNETES", 8), ("SLURM", None)}
