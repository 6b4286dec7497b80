"""What a real API server makes of LimitRanges about GPUs, and what is read of it."""

import msgspec
import pytest

from gateway.sources.kubernetes.limitranges import read_limit_range
from gateway.sources.kubernetes.pods import read_pod
from tests.servers.control_plane import Refusal

GPU = "nvidia.com/gpu"


def raw(body):
    return msgspec.Raw(msgspec.json.encode(body))


def a_pod(asks=None):
    resources = {"limits": {GPU: asks}} if asks else {}
    return {
        "metadata": {"name": "trainer"},
        "spec": {"containers": [{"name": "main", "image": "trainer", "resources": resources}]},
    }


@pytest.fixture
async def pods(control_plane):
    """The pods of a namespace that gives every container four cards, since it may have no more."""
    space = await control_plane.create("/api/v1/namespaces", {"metadata": {"generateName": "sizes-"}})
    at = f"/api/v1/namespaces/{space['metadata']['name']}"
    await control_plane.create(f"{at}/serviceaccounts", {"metadata": {"name": "default"}})
    body = {"metadata": {"name": "sizes"}, "spec": {"limits": [{"type": "Container", "max": {GPU: "4"}}]}}
    await control_plane.create(f"{at}/limitranges", body)
    return f"{at}/pods"


async def test_a_maximum_is_given_to_who_names_nothing(control_plane, pods):
    pod = read_pod("fleet", raw(await control_plane.create(pods, a_pod())), [])
    assert [(one.resource, one.count) for one in pod.gpus] == [(GPU, 4)]
    assert pod.gpus_given == (GPU,)


async def test_what_a_pod_asks_for_itself_was_not_given(control_plane, pods):
    assert read_pod("fleet", raw(await control_plane.create(pods, a_pod("2"))), []).gpus_given == ()


async def test_who_asks_for_more_never_comes_to_be(control_plane, pods):
    with pytest.raises(Refusal, match=f"maximum {GPU} usage per Container is 4, but limit is 8"):
        await control_plane.create(pods, a_pod("8"))


async def test_is_read_with_what_the_server_adds(control_plane, pods):
    found = await control_plane.request("GET", f"{pods.removesuffix('pods')}limitranges/sizes")
    (limit,) = read_limit_range("fleet", raw(found), []).limits
    assert (limit.of_container, limit.most.text, limit.given.text) == (True, "4", "4")
