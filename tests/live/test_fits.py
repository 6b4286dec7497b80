"""What is said of an ask is what comes of the pod that asks, on a cluster with the real kube-scheduler."""

import msgspec
import pytest

from gateway.fleet.platform import Target
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.asking import Gateway
from tests.builders import CLUSTER, a_record, a_workspace, some_records
from tests.fleets import a_keeper
from tests.gpu_labels import A100, GPU, H100, PRODUCTS, T4, mixed, shared, single, whole
from tests.servers.cluster import Cluster
from tests.servers.control_plane import MERGE_PATCH

NAMESPACE, PREFIX = "fitting", "fits-"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
NODES = "/api/v1/nodes"
TENTH = "nvidia.com/mig-1g.10gb"
DEDICATED = {"key": "dedicated", "value": "training", "effect": "NoSchedule"}
FOR_GPUS = {"key": GPU, "value": "present", "effect": "NoSchedule"}
MACHINES = {
    "whole": (whole(), {GPU: 8}, {}),
    "full": (whole(), {GPU: 8}, {}),
    "cordoned": (whole(), {GPU: 8}, {"unschedulable": True}),
    "tainted": (whole(), {GPU: 8}, {"taints": [DEDICATED]}),
    "for-gpus": (whole(), {GPU: 8}, {"taints": [FOR_GPUS]}),
    "slurms": (whole(), {GPU: 8}, {}),
    "mixed": (mixed(8), {GPU: 2, TENTH: 42}, {}),
    "single": (single(14, "3g.40gb"), {GPU: 14}, {}),
    "shared": (shared(2, 4), {GPU: 8}, {}),
}
"""Labels, what there is, and the spec."""
HELD = {"full": {GPU: 6}, "mixed": {TENTH: 40}}
TARGETS = {f"{PREFIX}{name}": Target.SLURM if name == "slurms" else Target.KUBERNETES for name in MACHINES}


def cards(kind, count):
    return f'{{cards: {{gpuType: "{kind}", count: {count}, tenant: "vision"}}}}'


def slices(profile, count):
    return f'{{slices: {{profile: "{profile}", count: {count}, tenant: "vision"}}}}'


ASKS = [
    (cards(H100, 8), GPU, 8, PRODUCTS[H100]),
    (cards(H100, 9), GPU, 9, PRODUCTS[H100]),
    (cards(H100, 2), GPU, 2, PRODUCTS[H100]),
    (cards(A100, 2), GPU, 2, PRODUCTS[A100]),
    (cards(A100, 3), GPU, 3, PRODUCTS[A100]),
    (slices("1g.10gb", 2), TENTH, 2, PRODUCTS[A100]),
    (slices("1g.10gb", 3), TENTH, 3, PRODUCTS[A100]),
    (slices("3g.40gb", 14), GPU, 14, f"{PRODUCTS[A100]}-MIG-3g.40gb"),
    (slices("3g.40gb", 15), GPU, 15, f"{PRODUCTS[A100]}-MIG-3g.40gb"),
]
"""An ask, and the pod that asks the same: for so much of a resource, on machines of this product."""


@pytest.fixture(scope="module")
async def fleet(cluster: Cluster):
    """Machines of every kind, with work on some."""
    await cluster.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    for name in MACHINES:
        await create_machine(cluster, name)
    for name, asks in HELD.items():
        await cluster.create(PODS, a_pod(f"holds-{name}", asks, [f"{PREFIX}{name}"]))
        await cluster.until(f"{PODS}/holds-{name}", outcome)
    yield cluster
    for name in MACHINES:
        await cluster.request("DELETE", f"{NODES}/{PREFIX}{name}")
    await cluster.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}")


async def create_machine(cluster, name):
    labels, has, spec = MACHINES[name]
    path = f"{NODES}/{PREFIX}{name}"
    await cluster.create(NODES, {"metadata": {"name": f"{PREFIX}{name}", "labels": labels}})
    amounts = {key: str(count) for key, count in has.items()} | {"cpu": "64", "memory": "1Ti", "pods": "110"}
    await cluster.patch_status(path, {"capacity": amounts, "allocatable": amounts})
    await cluster.until(path, lambda node: not node["spec"].get("taints"))
    await cluster.request("PATCH", path, {"spec": spec}, MERGE_PATCH)


def a_pod(name, asks, nodes, products=()):
    """A pod that asks for these and tolerates their taints, kept to machines by name and by product."""
    by_product = {"key": "nvidia.com/gpu.product", "operator": "In", "values": list(products)}
    by_name = [{"key": "metadata.name", "operator": "In", "values": [node]} for node in nodes]
    terms = [{"matchFields": [one], "matchExpressions": [by_product] if products else []} for one in by_name]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    limits = {key: str(count) for key, count in asks.items()}
    container = {"name": "main", "image": "trainer", "resources": {"limits": limits}}
    tolerations = [{"key": key, "operator": "Exists"} for key in asks]
    spec = {"containers": [container], "tolerations": tolerations, "affinity": {"nodeAffinity": required}}
    return {"metadata": {"name": name}, "spec": spec}


def outcome(pod):
    """The node that it was bound to, or what kube-scheduler said."""
    told = (one for one in pod["status"].get("conditions", ()) if one["type"] == "PodScheduled")
    return pod["spec"].get("nodeName") or next(
        (one["message"] for one in told if one["status"] == "False"), None
    )


async def placed(cluster, asks, nodes, product):
    """Where a pod is put that asks for these on one of these machines; None: nowhere."""
    await cluster.create(PODS, a_pod("ask", asks, nodes, [product]))
    pod = await cluster.until(f"{PODS}/ask", outcome)
    await cluster.request("DELETE", f"{PODS}/ask", {"gracePeriodSeconds": 0})
    await cluster.until_gone(f"{PODS}/ask")
    return pod["spec"].get("nodeName")


async def gateway(cluster):
    """A gateway that has read the cluster as it is now."""
    nodes = [one for one in await listed(cluster, NODES) if one["metadata"]["name"].startswith(PREFIX)]
    pods = await listed(cluster, PODS)
    records = [a_record(name, target) for name, target in TARGETS.items()]
    read = [read_node(CLUSTER, raw(one), []) for one in nodes]
    given = a_workspace(given={H100: 64}, queue=None)
    running = [read_pod(CLUSTER, raw(one), []) for one in pods]
    return Gateway(a_keeper(read, running, some_records(records, [given])))


def serving():
    """The machines that the records give to Kubernetes."""
    return [name for name, target in TARGETS.items() if target is Target.KUBERNETES]


async def listed(cluster, path):
    return (await cluster.request("GET", path))["items"]


def raw(body):
    return msgspec.Raw(msgspec.json.encode(body))


async def ask(cluster, asked):
    query = f"""{{ fits(ask: {asked}) {{
        fits nodes {{ nodes {{ node {{ name target }} fits }} }} remedies {{ action text }}
    }} }}"""
    return (await gateway(cluster)).data(query)["fits"]


@pytest.mark.parametrize(("asked", "resource", "count", "product"), ASKS)
async def test_a_pod_is_put_where_it_is_said_to_fit_and_nowhere_else(fleet, asked, resource, count, product):
    said = await ask(fleet, asked)
    fitting = {one["node"]["name"] for one in said["nodes"]["nodes"] if one["fits"]}

    assert said["fits"] is bool(fitting)
    assert await placed(fleet, {resource: count}, serving(), product) in (fitting or {None})
    for name in serving():
        put = await placed(fleet, {resource: count}, [name], product)
        assert put == (name if name in fitting else None)


async def test_shares_are_no_cards_although_a_pod_would_be_put_on_one(fleet):
    said = await ask(fleet, cards(T4, 1))

    assert said["fits"] is False
    assert await placed(fleet, {GPU: 1}, [f"{PREFIX}shared"], PRODUCTS[T4]) == f"{PREFIX}shared"


async def test_it_fits_once_what_was_said_is_done(fleet):
    machine = f"{PREFIX}cordoned"
    asks = {GPU: 8}
    for name in ("whole", "for-gpus"):
        await fleet.create(PODS, a_pod(f"holds-{name}", asks, [f"{PREFIX}{name}"]))
        await fleet.until(f"{PODS}/holds-{name}", outcome)
    said = await ask(fleet, cards(H100, 8))

    assert [one["action"] for one in said["remedies"]] == ["UNCORDON"]
    assert machine in said["remedies"][0]["text"]
    assert await placed(fleet, asks, serving(), PRODUCTS[H100]) is None
    await fleet.request("PATCH", f"{NODES}/{machine}", {"spec": {"unschedulable": None}}, MERGE_PATCH)
    await fleet.until(f"{NODES}/{machine}", lambda node: not node["spec"].get("taints"))
    assert await placed(fleet, asks, [machine], PRODUCTS[H100]) == machine
    assert (await ask(fleet, cards(H100, 8)))["fits"] is True
