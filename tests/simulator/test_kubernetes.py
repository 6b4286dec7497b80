import asyncio

import aiohttp
import pytest

from gateway.simulator.faults import WireFault
from gateway.simulator.kinds import NODES, PODS
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.simulator.store import Store
from tests.simulator.client import node, pod, queue, serving

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"


async def test_a_list_says_the_revision_that_each_object_has_been_given():
    async with serving(KubernetesApi(Store([node("a"), node("b")]))) as client:
        status, listing = await client.json("/api/v1/nodes")

    assert status == 200
    assert listing["kind"] == "NodeList"
    assert listing["metadata"]["resourceVersion"] == "3"
    assert [item["metadata"] for item in listing["items"]] == [
        {"name": "a", "resourceVersion": "2"},
        {"name": "b", "resourceVersion": "3"},
    ]


async def test_items_of_builtin_kinds_do_not_repeat_their_kind_and_custom_ones_do():
    async with serving(KubernetesApi(Store([node("a"), queue("q")]))) as client:
        _, nodes = await client.json("/api/v1/nodes")
        _, queues = await client.json(QUEUES)

    assert "kind" not in nodes["items"][0]
    assert queues["items"][0]["kind"] == "Queue"


async def test_one_namespace_lists_its_own_pods_only():
    store = Store([pod("x", "a"), pod("y", "b"), pod("x", "c")])
    async with serving(KubernetesApi(store)) as client:
        assert await client.names("/api/v1/namespaces/x/pods") == ["a", "c"]
        assert await client.names("/api/v1/pods") == ["a", "c", "b"]


async def test_a_single_object_is_served_by_its_name():
    store = Store([node("a"), pod("x", "b")])
    async with serving(KubernetesApi(store)) as client:
        _, found = await client.json("/api/v1/namespaces/x/pods/b")
        status, missing = await client.json("/api/v1/nodes/z")

    assert found["kind"] == "Pod"
    assert (status, missing["reason"], missing["message"]) == (404, "NotFound", 'nodes "z" not found')


async def test_an_unknown_kind_is_not_found_and_an_unknown_group_is_no_path():
    async with serving(KubernetesApi(Store([node("a")]))) as client:
        status, unknown = await client.json("/api/v1/pods")
        assert (status, unknown["reason"]) == (404, "NotFound")
        assert await client.text(QUEUES) == (404, "404 page not found\n")


async def test_a_kind_that_is_served_and_has_nothing_is_an_empty_list():
    async with serving(KubernetesApi(Store(serves=[PODS]))) as client:
        status, listing = await client.json("/api/v1/pods")

    assert (status, listing["items"]) == (200, [])


async def test_an_object_without_a_name_is_served_as_it_is():
    store = Store([node("a")])
    store.put({"metadata": "odd"}, NODES)
    store.put("no object", NODES)
    async with serving(KubernetesApi(store)) as client:
        _, listing = await client.json("/api/v1/nodes")

    assert listing["items"][1:] == [{"metadata": "odd"}, "no object"]


async def test_the_version_is_the_one_configured():
    async with serving(KubernetesApi(version="v1.29.4-gke.1")) as client:
        _, version = await client.json("/version")

    assert (version["gitVersion"], version["major"], version["minor"]) == ("v1.29.4-gke.1", "1", "29")


async def test_the_token_is_asked_for_everywhere():
    async with serving(KubernetesApi(Store([node("a")]), token="right")) as client:  # noqa: S106  (no secret)
        assert await client.status("/version") == 401
        assert await client.status("/api/v1/nodes", authorization="Bearer wrong") == 401
        assert await client.status("/api/v1/nodes", authorization="Bearer right") == 200


async def test_what_the_simulator_does_not_know_is_refused_and_not_ignored():
    async with serving(KubernetesApi(Store([node("a")]))) as client:
        assert await client.status("/api/v1/nodes?fieldSelector=a%3Db") == 400
        assert await client.status("/api/v1/nodes?labelSelector=a%21%3Db") == 400
        assert await client.status("/api/v1/nodes?watch=true&labelSelector=a%3Db") == 400
        assert await client.status("/api/v1/nodes?limit=many") == 400
        assert await client.status("/api/v1/nodes?watch=true&resourceVersion=new") == 400


@pytest.mark.parametrize(
    ("fault", "status", "reason"),
    [
        (KubernetesFault.UNAUTHORIZED, 401, "Unauthorized"),
        (KubernetesFault.FORBIDDEN, 403, "Forbidden"),
        (KubernetesFault.GONE, 410, "Expired"),
        (KubernetesFault.SERVER_ERROR, 500, "InternalError"),
        (KubernetesFault.UNAVAILABLE, 503, "ServiceUnavailable"),
        (KubernetesFault.ERROR_INSIDE, 200, "InternalError"),
    ],
)
async def test_a_fault_answers_a_list_with_its_status(fault, status, reason):
    api = KubernetesApi(Store([node("a")]))
    api.fault = fault
    async with serving(api) as client:
        answered, body = await client.json("/api/v1/nodes")

    assert (answered, body["kind"], body["reason"]) == (status, "Status", reason)


@pytest.mark.parametrize(
    ("fault", "code"), [(KubernetesFault.GONE, 410), (KubernetesFault.ERROR_INSIDE, 500)]
)
async def test_a_watch_tells_some_faults_in_an_event(fault, code):
    api = KubernetesApi(Store([node("a")]))
    api.fault = fault
    async with serving(api) as client, client.stream("/api/v1/nodes?watch=true") as lines:
        events = [event async for event in lines]

    assert lines.status == 200
    assert [(event["type"], event["object"]["code"]) for event in events] == [("ERROR", code)]


async def test_a_fault_of_one_kind_leaves_the_others_alone():
    api = KubernetesApi(Store([node("a"), pod("x", "b")]))
    api.faults["pods"] = KubernetesFault.FORBIDDEN
    async with serving(api) as client:
        assert await client.status("/api/v1/pods") == 403
        assert await client.names("/api/v1/nodes") == ["a"]


async def test_half_an_answer_is_a_broken_one():
    api = KubernetesApi(Store([node("a")]))
    api.fault = WireFault.CUT
    async with serving(api) as client:
        with pytest.raises(aiohttp.ClientPayloadError):
            await client.text("/api/v1/nodes")


async def test_an_open_watch_is_cut_in_the_midst_of_a_line():
    api = KubernetesApi(Store([node("a")]))
    async with serving(api) as client, client.stream("/api/v1/nodes?watch=true") as lines:
        assert (await anext(lines))["object"]["metadata"]["name"] == "a"
        api.fault = WireFault.CUT
        api.store.put(node("b"))
        with pytest.raises(aiohttp.ClientPayloadError):
            await anext(lines)


async def test_garbage_is_called_json_and_is_none():
    api = KubernetesApi(Store([node("a")]))
    api.fault = WireFault.GARBAGE
    async with serving(api) as client:
        with pytest.raises(UnicodeDecodeError):
            await client.text("/api/v1/nodes")


async def test_a_hung_server_says_nothing_and_its_open_watches_go_mute():
    api = KubernetesApi(Store([node("a")]))
    async with serving(api) as client, client.stream("/api/v1/nodes?watch=true") as lines:
        await anext(lines)
        api.fault = WireFault.HUNG
        api.store.put(node("b"))
        for waiting in (anext(lines), client.status("/version")):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(waiting, timeout=0.2)
