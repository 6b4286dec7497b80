from gateway.simulator.kinds import NODES
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.store import Store
from tests.simulator.client import node, pod, serving


def told(events):
    return [(event["type"], event["object"]["metadata"].get("name")) for event in events]


async def test_a_watch_tells_what_happened_after_its_version_and_no_more():
    store = Store([node("a")])
    since = store.revision
    store.put(node("b"))
    store.put(node("a", spec={"unschedulable": True}))
    store.delete(NODES, "b")
    async with serving(KubernetesApi(store)) as client:
        events = await client.events(f"/api/v1/nodes?watch=true&resourceVersion={since}&timeoutSeconds=0.1")

    assert told(events) == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]
    assert [event["object"]["metadata"]["resourceVersion"] for event in events] == ["3", "4", "5"]
    assert events[1]["object"]["kind"] == "Node"


async def test_a_watch_without_a_version_tells_first_what_is_there():
    async with serving(KubernetesApi(Store([node("a"), node("b")]))) as client:
        events = await client.events("/api/v1/nodes?watch=true&timeoutSeconds=0.1")

    assert told(events) == [("ADDED", "a"), ("ADDED", "b")]


async def test_an_open_watch_hears_of_a_change_at_once():
    store = Store([node("a")])
    path = f"/api/v1/nodes?watch=true&resourceVersion={store.revision}"
    async with serving(KubernetesApi(store)) as client, client.stream(path) as lines:
        store.put(node("b"))
        event = await anext(lines)

    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "b")


async def test_a_watch_of_one_namespace_hears_of_its_own_pods_only():
    store = Store([pod("x", "a")])
    since = store.revision
    store.put(pod("y", "b"))
    store.put(pod("x", "c"))
    path = f"/api/v1/namespaces/x/pods?watch=true&resourceVersion={since}&timeoutSeconds=0.1"
    async with serving(KubernetesApi(store)) as client:
        assert told(await client.events(path)) == [("ADDED", "c")]


async def test_a_version_that_is_too_old_is_an_error_inside_of_200():
    store = Store([node("a")])
    path = f"/api/v1/nodes?watch=true&resourceVersion={store.revision}"
    store.expire_history()
    async with serving(KubernetesApi(store)) as client, client.stream(path) as lines:
        events = [event async for event in lines]

    assert lines.status == 200
    assert [(event["type"], event["object"]["code"], event["object"]["reason"]) for event in events] == [
        ("ERROR", 410, "Expired")
    ]


async def test_the_history_is_bounded_for_each_kind():
    store = Store([node("a")], history=2)
    since = store.revision
    for name in "bcd":
        store.put(node(name))
    path = f"/api/v1/nodes?watch=true&timeoutSeconds=0.1&resourceVersion={since}"
    later = f"/api/v1/nodes?watch=true&timeoutSeconds=0.1&resourceVersion={since + 1}"
    async with serving(KubernetesApi(store)) as client:
        assert [event["type"] for event in await client.events(path)] == ["ERROR"]
        assert told(await client.events(later)) == [("ADDED", "c"), ("ADDED", "d")]


async def test_an_open_watch_ends_with_410_when_the_history_is_forgotten():
    store = Store([node("a")])
    async with serving(KubernetesApi(store)) as client, client.stream("/api/v1/nodes?watch=true") as lines:
        await anext(lines)
        store.expire_history()
        rest = [event async for event in lines]

    assert [event["object"]["code"] for event in rest] == [410]


async def test_a_version_from_the_future_is_silence():
    store = Store([node("a")])
    path = "/api/v1/nodes?watch=true&resourceVersion=99999&allowWatchBookmarks=true&timeoutSeconds=0.2"
    async with serving(KubernetesApi(store)) as client, client.stream(path) as lines:
        store.put(node("b"))
        events = [event async for event in lines]

    assert (lines.status, events) == (200, [])


async def test_a_bookmark_comes_at_once_and_carries_the_newest_version_of_all_kinds():
    store = Store([node("a")])
    since = store.revision
    store.put(pod("x", "b"))
    path = f"/api/v1/nodes?watch=true&resourceVersion={since}&allowWatchBookmarks=true&timeoutSeconds=0.1"
    async with serving(KubernetesApi(store)) as client:
        events = await client.events(path)

    assert [event["type"] for event in events] == ["BOOKMARK"]
    assert events[0]["object"]["metadata"]["resourceVersion"] == str(store.revision)
    assert events[0]["object"]["kind"] == "Node"


async def test_further_bookmarks_come_after_their_pause():
    api = KubernetesApi(Store([node("a")]), bookmark_seconds=0.05)
    path = "/api/v1/nodes?watch=true&resourceVersion=2&allowWatchBookmarks=true"
    async with serving(api) as client, client.stream(path) as lines:
        assert [(await anext(lines))["type"] for _ in range(3)] == ["BOOKMARK"] * 3


async def test_no_bookmark_comes_unasked():
    async with serving(KubernetesApi(Store([node("a")]))) as client:
        assert await client.events("/api/v1/nodes?watch=true&resourceVersion=2&timeoutSeconds=0.1") == []
