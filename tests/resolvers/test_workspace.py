from tests.asking import Gateway
from tests.builders import a_node, a_pod, a_price, a_queue, a_workspace, some_records
from tests.fleets import ABSENT, NEVER, POD_GROUPS, PODS, QUEUES, a_keeper
from tests.gpu_labels import A100, GPU, H100


def a_site(**given):
    workspace = a_workspace(namespaces=["training", "batch"], **given)
    return a_keeper(
        nodes=[a_node()],
        pods=[a_pod("b", namespace="training"), a_pod("a", namespace="batch"), a_pod("c", namespace="other")],
        records=some_records(workspaces=[workspace], prices={H100: [a_price("2.50")]}),
        queues=[a_queue("training", {GPU: 2})],
    )


def of_workspace(keeper, asked):
    return Gateway(keeper).data(f'{{ workspace(tenant: "vision", name: "training") {{ {asked} }} }}')[
        "workspace"
    ]


def test_it_crosses_to_tenant_cluster_and_queue():
    found = of_workspace(a_site(), "tenant { name } cluster { name } queue { name } namespaces")

    assert found == {
        "tenant": {"name": "vision"},
        "cluster": {"name": "fleet"},
        "queue": {"name": "training"},
        "namespaces": ["training", "batch"],
    }


def test_its_pods_are_those_of_its_namespaces():
    found = of_workspace(a_site(), "pods { totalCount nodes { namespace name } }")["pods"]

    assert found == {
        "totalCount": 2,
        "nodes": [{"namespace": "batch", "name": "a"}, {"namespace": "training", "name": "b"}],
    }


def test_what_it_was_given_stands_beside_what_its_queue_says():
    given = of_workspace(
        a_site(),
        """allocations { generation gpuType { name pricePerHour { amount } } cards used headroom borrowed
           pricePerHour { amount } costPerHour { amount currency } unknowns { field } }""",
    )["allocations"]

    assert given == [
        {
            "generation": 1,
            "gpuType": {"name": H100, "pricePerHour": {"amount": "2.5"}},
            "cards": 4,
            "used": 2,
            "headroom": 2,
            "borrowed": 0,
            "pricePerHour": {"amount": "2.5"},
            "costPerHour": {"amount": "10", "currency": "USD"},
            "unknowns": [],
        }
    ]


def test_it_costs_what_it_was_given():
    assert of_workspace(a_site(), "costPerHour { amount }")["costPerHour"] == {"amount": "10"}
    assert of_workspace(a_site(given={H100: 0}), "costPerHour { amount }")["costPerHour"] is None


def test_a_part_without_a_price_makes_the_cost_unknown():
    found = of_workspace(
        a_site(given={H100: 1, A100: 1}), "costPerHour { amount } unknowns { field code reason }"
    )

    assert found["costPerHour"] is None
    assert found["unknowns"] == [
        {"field": "costPerHour", "code": "UNDETERMINED", "reason": "1 of 2 parts have no price"}
    ]


def test_a_workspace_without_a_queue_has_none_and_nothing_is_wrong():
    found = of_workspace(a_site(queue=None), "queue { name } allocations { cards used } unknowns { field }")

    assert found == {"queue": None, "allocations": [{"cards": 4, "used": None}], "unknowns": []}


def test_without_volcano_there_is_no_queue_and_no_use_to_tell():
    keeper = a_site()
    for key in (QUEUES, POD_GROUPS):
        keeper.replace(key, {}, ABSENT)

    found = of_workspace(
        keeper, "queue { name } allocations { cards used headroom unknowns { field } } unknowns { field }"
    )

    assert found == {
        "queue": None,
        "allocations": [{"cards": 4, "used": None, "headroom": None, "unknowns": []}],
        "unknowns": [],
    }


def test_its_unknowns_list_its_pods_while_the_cluster_is_silent():
    keeper = a_site()
    keeper.touch(PODS, NEVER)

    assert of_workspace(keeper, "unknowns { field code }")["unknowns"] == [
        {"field": "pods", "code": "SOURCE_UNAVAILABLE"}
    ]


def test_a_workspace_in_a_cluster_that_is_not_read_is_there_all_the_same():
    keeper = a_keeper(records=some_records(workspaces=[a_workspace(cluster="elsewhere")]))

    found = of_workspace(keeper, "cluster { name kubernetesVersion } queue { name } pods { totalCount }")

    assert found["cluster"] == {"name": "elsewhere", "kubernetesVersion": None}
