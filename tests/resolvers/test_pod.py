from dataclasses import replace

from gateway.errors import System
from gateway.fleet.unknown import undetermined
from tests.asking import Gateway
from tests.builders import a_node, a_pod, a_pod_group, a_queue, a_workspace, some_records
from tests.fleets import ABSENT, NEVER, NODES, POD_GROUPS, QUEUES, a_keeper
from tests.gpu_labels import GPU, T4, mixed, shared, single

SLICE = "nvidia.com/mig-1g.10gb"


def of_pod(keeper, asked, name="work-0"):
    query = f'{{ pod(cluster: "fleet", namespace: "training", name: "{name}") {{ {asked} }} }}'
    return Gateway(keeper).data(query)["pod"]


def unit(node, asks):
    keeper = a_keeper(nodes=[node] if node else [], pods=[a_pod(node=node.name if node else None, asks=asks)])
    (claim,) = of_pod(keeper, "gpus { resource unit count }")["gpus"]
    return claim["unit"]


def test_the_unit_of_nvidias_gpu_is_what_the_machine_makes_of_it():
    assert unit(a_node(), {GPU: 1}) == "CARD"
    assert unit(a_node(labels=shared(1, 4), capacity={GPU: 4}), {GPU: 1}) == "SHARE"
    assert unit(a_node(labels=single(7, "1g.10gb"), capacity={GPU: 7}), {GPU: 1}) == "SLICE"
    assert unit(a_node(labels=mixed(1), capacity={GPU: 0, SLICE: 7}), {SLICE: 1}) == "SLICE"


def test_the_unit_is_not_known_while_nothing_decides_it():
    assert unit(None, {GPU: 1}) is None
    assert unit(None, {SLICE: 1}) == "SLICE"
    assert unit(a_node(labels={}, capacity={}), {GPU: 1}) is None
    gone = a_keeper(pods=[a_pod(node="gone")])
    assert of_pod(gone, "gpus { unit } node { name }") == {"gpus": [{"unit": None}], "node": None}


def test_the_unit_is_an_error_while_the_machines_are_silent():
    keeper = a_keeper(nodes=[a_node()], pods=[a_pod()])
    keeper.touch(NODES, NEVER)

    answer = Gateway(keeper).ask(
        '{ pod(cluster: "fleet", namespace: "training", name: "work-0") { gpus { unit count } } }'
    )

    assert answer["data"]["pod"]["gpus"] == [{"unit": None, "count": 1}]
    assert [error["path"] for error in answer["errors"]] == [["pod", "gpus", 0, "unit"]]


def test_a_pod_crosses_to_all_that_it_is_part_of():
    keeper = a_keeper(
        nodes=[a_node()],
        pods=[a_pod(group="gang")],
        records=some_records(workspaces=[a_workspace()]),
        queues=[a_queue()],
        pod_groups=[a_pod_group()],
    )

    found = of_pod(
        keeper,
        """cluster { name } node { name gpus { type { name } } } workspace { name tenant { name } }
           queue { name } podGroup { name phase minMember } user controller createdAt startedAt""",
    )

    assert found == {
        "cluster": {"name": "fleet"},
        "node": {"name": "gpu-01", "gpus": {"type": {"name": "H100-80GB"}}},
        "workspace": {"name": "training", "tenant": {"name": "vision"}},
        "queue": {"name": "training"},
        "podGroup": {"name": "gang", "phase": "Running", "minMember": 1},
        "user": None,
        "controller": None,
        "createdAt": "2026-11-29T12:00:00Z",
        "startedAt": "2026-11-29T12:00:00Z",
    }


def test_a_pod_alone_is_part_of_nothing():
    keeper = a_keeper(nodes=[a_node()], pods=[a_pod()])

    assert of_pod(keeper, "workspace { name } queue { name } podGroup { name }") == {
        "workspace": None,
        "queue": None,
        "podGroup": None,
    }


def test_a_group_without_its_queue_is_found_by_the_queues_name():
    keeper = a_keeper(nodes=[a_node()], pods=[a_pod(group="gang")], pod_groups=[a_pod_group(queue="missing")])

    assert of_pod(keeper, "podGroup { name } queue { name }") == {"podGroup": {"name": "gang"}, "queue": None}
    found = Gateway(keeper).data('{ clusters { pods(filter: {queue: "missing"}) { totalCount } } }')
    assert found["clusters"] == [{"pods": {"totalCount": 1}}]


def test_without_volcano_there_are_no_groups_and_no_pod_is_in_a_queue():
    keeper = a_keeper(nodes=[a_node()], pods=[a_pod(group="gang")])
    keeper.touch(QUEUES, ABSENT)
    keeper.touch(POD_GROUPS, ABSENT)

    assert of_pod(keeper, "podGroup { name } queue { name }") == {"podGroup": None, "queue": None}
    found = Gateway(keeper).data('{ clusters { pods(filter: {queue: "training"}) { totalCount } } }')
    assert found["clusters"] == [{"pods": {"totalCount": 0}}]


def test_a_pod_that_does_not_tell_when_it_was_made_takes_no_list_away():
    told = undetermined(System.KUBERNETES, "metadata.creationTimestamp: 'noon' is no time")
    pods = [
        replace(a_pod("odd"), created_at=told),
        replace(a_pod("silent"), created_at=None),
        a_pod("work-0"),
    ]

    found = Gateway(a_keeper(pods=pods)).data("{ clusters { pods { nodes { name createdAt } } } }")

    assert found["clusters"][0]["pods"]["nodes"] == [
        {"name": "odd", "createdAt": None},
        {"name": "silent", "createdAt": None},
        {"name": "work-0", "createdAt": "2026-11-29T12:00:00Z"},
    ]


def test_an_amount_that_is_no_count_of_anything_is_not_known():
    """13958643712 does not fit into GraphQL's Int."""
    keeper = a_keeper(
        nodes=[a_node(labels={}, capacity={"volcano.sh/vgpu-memory": 8})],
        pods=[a_pod(asks={"volcano.sh/vgpu-memory": 13 * 2**30})],
    )
    asked = """{ node(cluster: "fleet", name: "gpu-01") {
      gpus { resources { requested } } pods { nodes { gpus { count } } } unknowns { field reason }
    } }"""

    node = Gateway(keeper).data(asked)["node"]

    assert node["gpus"]["resources"] == [{"requested": None}]
    assert node["pods"]["nodes"] == [{"gpus": [{"count": None}]}]
    reasons = {one["field"]: one["reason"] for one in node["unknowns"]}
    assert (
        reasons["gpus.resources[volcano.sh/vgpu-memory].requested"]
        == "13958643712 is more than a count can be"
    )


def test_the_type_of_a_shared_card_is_that_of_the_card():
    keeper = a_keeper(nodes=[a_node(labels=shared(1, 4), capacity={GPU: 4})], pods=[a_pod()])

    assert of_pod(keeper, "node { gpus { type { name } } }")["node"] == {"gpus": {"type": {"name": T4}}}
