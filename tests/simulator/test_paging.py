from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.store import Store
from tests.simulator.client import node, pod, serving


def names(listing):
    return [item["metadata"]["name"] for item in listing["items"]]


async def test_pages_show_one_moment_though_objects_come_meanwhile():
    store = Store([node("a"), node("b"), node("c")])
    async with serving(KubernetesApi(store)) as client:
        _, first = await client.json("/api/v1/nodes?limit=2")
        store.put(node("bb"))
        _, second = await client.json(f"/api/v1/nodes?limit=2&continue={first['metadata']['continue']}")

    assert (names(first), names(second)) == (["a", "b"], ["c"])
    assert first["metadata"]["remainingItemCount"] == 1
    assert "continue" not in second["metadata"]
    assert first["metadata"]["resourceVersion"] == second["metadata"]["resourceVersion"] == "4"


async def test_what_fits_on_one_page_has_no_token():
    async with serving(KubernetesApi(Store([node("a"), node("b")]))) as client:
        _, listing = await client.json("/api/v1/nodes?limit=2")

    assert listing["metadata"] == {"resourceVersion": "3"}


async def test_a_token_that_is_too_old_is_410_with_one_that_goes_on_from_another_moment():
    store = Store([node("a"), node("b"), node("c")])
    async with serving(KubernetesApi(store)) as client:
        _, first = await client.json("/api/v1/nodes?limit=1")
        store.expire_history()
        store.put(node("aa"))
        status, gone = await client.json(f"/api/v1/nodes?limit=1&continue={first['metadata']['continue']}")
        _, rest = await client.json(f"/api/v1/nodes?continue={gone['metadata']['continue']}")

    assert (status, gone["reason"]) == (410, "Expired")
    assert names(rest) == ["aa", "b", "c"]


async def test_version_0_ignores_the_limit():
    async with serving(KubernetesApi(Store([node("a"), node("b")]))) as client:
        assert await client.names("/api/v1/nodes?limit=1&resourceVersion=0") == ["a", "b"]


async def test_the_pages_of_one_namespace_hold_its_pods_only():
    store = Store([pod("x", "a"), pod("y", "b"), pod("x", "c"), pod("z", "d")])
    async with serving(KubernetesApi(store)) as client:
        _, first = await client.json("/api/v1/namespaces/x/pods?limit=1")
        token = first["metadata"]["continue"]
        _, second = await client.json(f"/api/v1/namespaces/x/pods?limit=1&continue={token}")

    assert (names(first), names(second)) == (["a"], ["c"])
    assert first["metadata"]["remainingItemCount"] == 1


async def test_a_token_of_somebody_else_is_refused():
    async with serving(KubernetesApi(Store([node("a")]))) as client:
        assert await client.status("/api/v1/nodes?continue=bm9uc2Vuc2U") == 400
