"""Each account of deploy/ may do what its process does, and nothing else: told by the API server's audit."""

import asyncio
import contextlib

import pytest

from gateway.errors import System
from gateway.fleet.layout_text import layout_text
from gateway.fleet.live import Effect
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.election import LeaseElection, Seat
from gateway.sources.kubernetes.hands import KubernetesHands
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.volcano.source import VolcanoSource
from tests.fakes.feed import RecordingFeed
from tests.live.granted import rights_of, superfluous
from tests.live.installation import NAMESPACE, as_account, objects, requests_of
from tests.servers.audit import refused
from tests.servers.control_plane import Refusal
from tests.sources.kubernetes.test_migconfigs import WHERE, a_manager
from tests.sources.kubernetes.test_migconfigs import a_config_map as a_mig_config_map
from tests.sources.kubernetes.test_operands import a_config_map as a_sharing_config
from tests.sources.kubernetes.test_operands import a_plugin
from tests.sources.volcano.installation import a_config_map, a_deployment

MANAGERS = "/apis/apps/v1/namespaces/gpu-operator/daemonsets"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/gpu-gateway-controllers"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
NODE = "/api/v1/nodes/reached-01"
OPERATOR = "/api/v1/namespaces/gpu-operator"
LAYOUT = layout_text([{"1g.10gb": 7}])


@pytest.fixture(scope="module")
async def operated(deployed):
    """The same cluster with Volcano's scheduler, a device plugin, and two MIG managers, one with our file."""
    made = (
        (MANAGERS, accepted(a_manager())),
        (MANAGERS, accepted(named("second", a_manager("gpu-gateway-mig-config")))),
        (f"{OPERATOR}/configmaps", a_mig_config_map()),
        (MANAGERS, accepted(a_plugin("time-slicing-config"))),
        (f"{OPERATOR}/configmaps", a_sharing_config("four-shares", name="time-slicing-config")),
        ("/apis/apps/v1/namespaces/volcano-system/deployments", accepted(a_deployment())),
        ("/api/v1/namespaces/volcano-system/configmaps", a_config_map()),
    )
    for path, body in made:
        await deployed.create(path, body)
    yield deployed
    for path, body in made:
        await deployed.request("DELETE", f"{path}/{body['metadata']['name']}")


@pytest.fixture
async def node(operated):
    """A node with the MIG managers' pods and one that anybody may evict."""
    await operated.create("/api/v1/nodes", {"metadata": {"name": "reached-01", "labels": {"a": "b"}}})
    spec = {"nodeName": "reached-01", "containers": [{"name": "main", "image": "main"}]}
    await operated.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "trainer"}, "spec": spec})
    there = f"{OPERATOR}/pods?fieldSelector=spec.nodeName=reached-01"
    await operated.until(there, lambda pods: len(pods["items"]) == 2)
    yield operated
    await operated.request("DELETE", NODE)
    for made in (f"{OPERATOR}/configmaps/gpu-gateway-mig-config", LEASE):
        with contextlib.suppress(Refusal):  # the test may have failed before
            await operated.request("DELETE", made)


async def test_the_gateway_reads_all_and_may_do_nothing_else(operated):
    since = len(requests_of(operated, "gateway"))
    async with reading(operated, "gateway") as feed:
        await asks_as_its_proxy(operated, path="/graphql", verb="create")
        await is_whole(feed)
        assert await unneeded(operated, "gateway", since) == []


async def test_the_controllers_read_all_and_do_their_part_and_may_do_nothing_else(node):
    since = len(requests_of(node, "controllers"))
    async with reading(node, "controllers") as feed:
        await is_whole(feed)
        api = (await as_account(node, "controllers")).api()
        try:
            await lead(LeaseElection(api, Seat(namespace=NAMESPACE), "first"))
            await act(KubernetesHands(api))
        finally:
            await api.close()
        assert await unneeded(node, "controllers", since) == []


async def is_whole(feed):
    """Everything that the graph is made of is there, and nothing of it was refused."""
    await feed.until(lambda: feed.contacts and all(map(is_told, feed.contacts.values())))
    assert {key.kind: contact.error for key, contact in feed.contacts.items() if contact.error} == {}
    assert layouts(feed).keys() == {"all-disabled", "ours"}
    assert configs(feed) == {"four-shares"}
    assert scheduler(feed).config.hierarchy


def is_told(contact):
    return contact.last_success_at or contact.error or contact.absent


@pytest.mark.parametrize(
    ("role", "verb", "path"),
    [
        ("gpu-gateway-caller", "create", "/graphql"),
        ("gpu-gateway-caller", "get", "/graphql"),
        ("gpu-gateway-metrics", "get", "/metrics"),
    ],
)
async def test_who_is_given_a_role_may_ask_and_who_is_not_may_not(operated, role, verb, path):
    assert not await asks_as_its_proxy(operated, path=path, verb=verb)
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": NAMESPACE}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
    binding = {"metadata": {"name": "asks"}, "roleRef": reference, "subjects": [subject]}
    await operated.create(BINDINGS, binding)
    try:
        async with asyncio.timeout(20):  # the server reads its own rules by a watch
            while not await asks_as_its_proxy(operated, path=path, verb=verb):
                pass
        assert not await asks_as_its_proxy(operated, path="/elsewhere", verb=verb)
    finally:
        await operated.request("DELETE", f"{BINDINGS}/asks")


async def asks_as_its_proxy(cluster, *, path, verb):
    """What the proxy is told where a caller with the namespace's default account asks for this path."""
    caller, gateway = await as_account(cluster, "default"), await as_account(cluster, "gateway")
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {"token": caller.token},
    }
    reviewed = await gateway.request("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)
    told = reviewed["status"]["user"]
    asked = {
        "user": told["username"],
        "groups": told["groups"],
        "nonResourceAttributes": {"path": path, "verb": verb},
    }
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": asked}
    answer = await gateway.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return answer["status"]["allowed"]


async def lead(election):
    """Take the lease and give it up."""
    assert (await election.tenure()).is_leader
    await election.resign()
    assert not (await election.tenure()).is_leader


async def act(hands):
    """Everything that the controllers do to a cluster."""
    for name in ("first", "second"):
        assert (await hands.add_layout(f"gw-{name}", LAYOUT)).effect is Effect.DONE
    assert (await hands.layouts()).ours.keys() == {"gw-first", "gw-second"}
    for write in (lambda node: hands.cordon(node, 1), lambda node: hands.label(node, "x"), hands.give_back):
        assert (await in_turn(hands, write)).effect is Effect.DONE
    (trainer,) = [pod for pod in await hands.pods("reached-01") if pod.name == "trainer"]
    for dry_run in (True, False):
        assert (await hands.evict(trainer, dry_run=dry_run)).effect is Effect.DONE
    manager, _ = await hands.operands("reached-01", "nvidia-mig-manager")
    assert (await hands.delete(manager)).effect is Effect.DONE


async def in_turn(hands, write):
    """Write again where others, who look after a new node too, wrote meanwhile."""
    async with asyncio.timeout(20):
        while (result := await write(await hands.node("reached-01"))).effect is Effect.MOVED:
            pass
    return result


async def unneeded(cluster, account, since):
    """Rights of an account that nothing needs; that something was refused to it is a failure."""
    rights = left = rights_of(account, await objects())
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10):  # a watch begins after its listing is told
            while left:
                await asyncio.sleep(0.1)
                requests = requests_of(cluster, account)[since:]
                left = superfluous(rights, [one for one in requests if "objectRef" in one])
    assert refused(requests) == []
    return left


@contextlib.asynccontextmanager
async def reading(cluster, account):
    """A feed that is told all that the graph is made of, as this account."""
    feed, api = RecordingFeed(), (await as_account(cluster, account)).api()
    upkeep = Upkeep(api=api, feed=feed)
    tasks = [asyncio.create_task(source(upkeep).run()) for source in (KubernetesSource, VolcanoSource)]
    try:
        yield feed
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await api.close()


def layouts(feed):
    return feed.rows[SourceKey(System.KUBERNETES, "fleet", "migconfigs")][WHERE].layouts


def configs(feed):
    rows = feed.rows[SourceKey(System.KUBERNETES, "fleet", "operands")]
    return rows["gpu-operator", "nvidia-device-plugin-daemonset"].configs


def scheduler(feed):
    return feed.rows[SourceKey(System.QUEUES, "fleet", "scheduler")]["scheduler"]


def named(name, thing):
    return thing | {"metadata": thing["metadata"] | {"name": name}}


def accepted(workload):
    """The same with what the server asks for besides."""
    labels = workload["metadata"]["labels"]
    pod = {"containers": [{"name": "main", "image": "manager:1"}]} | workload["spec"]["template"]["spec"]
    template = {"metadata": {"labels": labels}, "spec": pod}
    return workload | {"spec": {"selector": {"matchLabels": labels}, "template": template}}
