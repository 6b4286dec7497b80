"""ResourceSlices, ResourceClaims and the MIG manager's layouts, read off a real API server."""

import asyncio
import contextlib

import pytest

from gateway.errors import System
from gateway.fleet.dra import Given, cards_of
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep
from tests.fakes.feed import RecordingFeed
from tests.listed import DRIVER, a_claim_object, a_gpu, a_part, a_slice_object
from tests.sources.kubernetes.test_migconfigs import WHERE, a_config_map, a_manager

SLICES = SourceKey(System.KUBERNETES, "fleet", "resourceslices")
CLAIMS = SourceKey(System.KUBERNETES, "fleet", "resourceclaims")
LAYOUTS = SourceKey(System.KUBERNETES, "fleet", "migconfigs")
RESOURCES = "/apis/resource.k8s.io/v1"
CLAIMS_PATH = f"{RESOURCES}/namespaces/training/resourceclaims"
CONFIG_MAPS = "/api/v1/namespaces/gpu-operator/configmaps"
DAEMON_SETS = "/apis/apps/v1/namespaces/gpu-operator/daemonsets"
DYNAMIC = [a_gpu(0), *(a_part(0, at) for at in range(7))]


@contextlib.asynccontextmanager
async def reading(control_plane, token):
    """A feed that the source of this cluster tells."""
    feed = RecordingFeed()
    way = Url(url=control_plane.url, token=token, ca_file=control_plane.ca)
    api = Api(ClusterAccess(name="fleet", way=way))
    task = asyncio.create_task(KubernetesSource(Upkeep(api=api, feed=feed)).run())
    try:
        yield feed
    finally:
        task.cancel()
        await asyncio.wait([task])
        await api.close()


def named(part):
    """A device as the server takes it: names are of lower case and without dots."""
    return part | {"name": part["name"].replace(".", "-")}


def a_claim_for(*devices):
    body = a_claim_object("train", *devices)
    return body | {
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": DRIVER}}]}}
    }


@pytest.fixture(scope="module")
async def listed(control_plane):
    """A cluster in which a driver lists a card, and a claim was given it."""
    for namespace in ("training", "gpu-operator"):
        await control_plane.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    await control_plane.create(f"{RESOURCES}/resourceslices", a_slice_object("gpu-01", map(named, DYNAMIC)))
    await control_plane.create(CLAIMS_PATH, a_claim_for("gpu-0"))
    await control_plane.create(DAEMON_SETS, _accepted(a_manager()))
    await control_plane.create(CONFIG_MAPS, a_config_map())
    yield control_plane
    for made in (f"{DAEMON_SETS}/nvidia-mig-manager", f"{CONFIG_MAPS}/{a_config_map()['metadata']['name']}"):
        await control_plane.request("DELETE", made)


async def test_a_card_and_its_possible_parts_are_one_card_that_a_claim_holds(listed):
    async with reading(listed, listed.token) as feed:
        await feed.until(lambda: feed.rows.get(SLICES) and feed.rows.get(CLAIMS))
        (found,) = feed.rows[SLICES].values()
        assert len(found.devices) == 8
        assert cards_of([found]) == 1
        assert feed.rows[CLAIMS]["training", "train"].given == (Given(DRIVER, "gpu-01", "gpu-0"),)


async def test_the_layouts_are_those_that_the_mig_manager_mounts(listed):
    async with reading(listed, listed.token) as feed:
        await feed.until(lambda: feed.rows.get(LAYOUTS))
        assert feed.rows[LAYOUTS][WHERE].layouts.keys() == {"all-disabled", "ours"}


async def test_who_may_read_nothing_is_told_so_in_the_servers_words(listed):
    async with reading(listed, listed.powerless_token) as feed:
        await feed.until(lambda: feed.contacts[SLICES].error and feed.rows.get(LAYOUTS))
        assert "resourceslices.resource.k8s.io is forbidden" in feed.contacts[SLICES].error
        (file,) = feed.rows[LAYOUTS].values()
        assert "daemonsets.apps is forbidden" in file.layouts.reason


def _accepted(daemon_set):
    """The same with what the server asks for besides."""
    labels = daemon_set["metadata"]["labels"]
    pod = daemon_set["spec"]["template"]["spec"] | {"containers": [{"name": "main", "image": "manager:1"}]}
    pod["volumes"] = [one | ({"emptyDir": {}} if len(one) == 1 else {}) for one in pod["volumes"]]
    template = {"metadata": {"labels": labels}, "spec": pod}
    return daemon_set | {"spec": {"selector": {"matchLabels": labels}, "template": template}}
