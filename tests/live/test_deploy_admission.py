"""The controllers' account may change three fields of a node, whatever access rules grant it."""

import asyncio
import json

import pytest

from tests.live.installation import NAMESPACE, as_account
from tests.servers.control_plane import MERGE_PATCH, Refusal

RBAC = "/apis/rbac.authorization.k8s.io/v1"
APPLY_PATCH = "application/apply-patch+yaml"
NODE = "/api/v1/nodes/guarded-01"
CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
TAINT = {"key": "theirs", "effect": "NoSchedule"}
OURS = "/api/v1/namespaces/gpu-operator/configmaps"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
pytestmark = pytest.mark.usefixtures("node")


@pytest.fixture(scope="module")
async def controllers(deployed):
    """The account, with every right that access rules can give, so that admission alone says no."""
    subject = {"kind": "ServiceAccount", "name": "controllers", "namespace": NAMESPACE}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    binding = {"metadata": {"name": "for-the-test"}, "roleRef": role, "subjects": [subject]}
    await deployed.create(f"{RBAC}/clusterrolebindings", binding)
    account = await as_account(deployed, "controllers")
    await in_force(account)
    yield account
    await deployed.request("DELETE", f"{RBAC}/clusterrolebindings/for-the-test")


@pytest.fixture
async def node(deployed):
    """A node as operators and people leave it."""
    labels = {CONFIG: "all-disabled", STATE: "success", "team": "vision"}
    annotations = {"theirs": "yes"}
    metadata = {"name": "guarded-01", "labels": labels, "annotations": annotations, "finalizers": ["x.y/z"]}
    await deployed.create("/api/v1/nodes", {"metadata": metadata, "spec": {"taints": [TAINT]}})
    yield
    await deployed.request("PATCH", NODE, {"metadata": {"finalizers": None}}, MERGE_PATCH)
    await deployed.request("DELETE", NODE)


async def in_force(account):
    """Return once the API server has read the account's new rights, and what holds it all the same."""
    said = ""
    async with asyncio.timeout(20):
        while "write nothing but nodes" not in said:
            await asyncio.sleep(0.1)
            said = await refusal(account, "POST", "/api/v1/nodes?dryRun=All", {"metadata": {"name": "ours"}})
        while "only unschedulable" not in said:
            await asyncio.sleep(0.1)
            said = await refusal(
                account, "PATCH", "/api/v1/nodes/plain-01?dryRun=All", {"spec": {"taints": [TAINT]}}
            )


async def merge(account, patch, path=NODE):
    return await account.request("PATCH", path, patch, MERGE_PATCH)


async def refusal(account, method, path, body):
    """What the server says; nothing where it does it."""
    try:
        await account.request(method, path, body, MERGE_PATCH if method == "PATCH" else "application/json")
    except Refusal as refused:
        return str(refused)
    return ""


async def test_a_cordon_is_applied_and_given_back(controllers):
    path = f"{NODE}?fieldManager=gpu-gateway"
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "guarded-01"}}
    cordon = body | {"spec": {"unschedulable": True}}
    cordon["metadata"] = body["metadata"] | {"annotations": {"gpu-gateway/cordon": "4"}}
    held = await controllers.request("PATCH", path, cordon, APPLY_PATCH)
    assert held["spec"]["unschedulable"]
    assert held["metadata"]["annotations"].items() >= {"gpu-gateway/cordon": "4", "theirs": "yes"}.items()
    given_back = await controllers.request("PATCH", path, body, APPLY_PATCH)
    assert "unschedulable" not in given_back["spec"]
    assert given_back["metadata"]["annotations"]["theirs"] == "yes"
    assert "gpu-gateway/cordon" not in given_back["metadata"]["annotations"]


async def test_a_configuration_is_set_and_its_state_taken_away(controllers):
    patched = await merge(controllers, {"metadata": {"labels": {CONFIG: "all-1g.10gb", STATE: None}}})
    assert patched["metadata"]["labels"] == {CONFIG: "all-1g.10gb", "team": "vision"}


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ({"metadata": {"labels": {"team": "audio"}}}, "only nvidia.com/mig.config is"),
        ({"metadata": {"labels": {"new": "label"}}}, "only nvidia.com/mig.config is"),
        ({"metadata": {"labels": {STATE: "pending"}}}, "only nvidia.com/mig.config is"),
        ({"metadata": {"labels": {"team": None}}}, "only nvidia.com/mig.config.state is"),
        ({"metadata": {"labels": {CONFIG: None}}}, "only nvidia.com/mig.config.state is"),
        ({"metadata": {"annotations": {"theirs": "no"}}}, "only gpu-gateway/cordon is"),
        ({"metadata": {"annotations": {"theirs": None}}}, "only gpu-gateway/cordon is"),
        ({"metadata": {"annotations": {"gpu-gateway/hold": "x"}}}, "only gpu-gateway/cordon is"),
        ({"metadata": {"finalizers": None}}, "finalizers and owners"),
        ({"metadata": {"finalizers": ["ours.org/x", "x.y/z"]}}, "finalizers and owners"),
        ({"spec": {"taints": None}}, "only unschedulable is"),
        ({"spec": {"taints": [TAINT, {"key": "ours", "effect": "NoExecute"}]}}, "only unschedulable is"),
        ({"spec": {"providerID": "cloud://ours"}}, "only unschedulable is"),
    ],
    ids=json.dumps,
)
async def test_another_field_of_a_node_is_refused(controllers, patch, why):
    with pytest.raises(Refusal, match=why):
        await merge(controllers, patch)


async def test_a_nodes_status_is_refused(controllers):
    with pytest.raises(Refusal, match="write nothing but nodes"):
        await merge(controllers, {"status": {"allocatable": {"nvidia.com/gpu": "8"}}}, f"{NODE}/status")


async def test_a_node_is_neither_made_nor_deleted(controllers):
    with pytest.raises(Refusal, match="write nothing but nodes"):
        await controllers.request("POST", "/api/v1/nodes", {"metadata": {"name": "ours-01"}})
    with pytest.raises(Refusal, match="delete nothing but pods"):
        await controllers.request("DELETE", NODE)


@pytest.mark.parametrize(
    ("path", "name"), [(OURS, "gpu-gateway-mig-config"), (LEASES, "gpu-gateway-controllers")]
)
async def test_what_is_its_own_is_made_and_changed_and_nothing_beside_it(deployed, controllers, path, name):
    try:
        await controllers.request("POST", path, {"metadata": {"name": name}})
        await merge(controllers, {"metadata": {"annotations": {"a": "b"}}}, f"{path}/{name}")
    finally:
        await deployed.request("DELETE", f"{path}/{name}")
    with pytest.raises(Refusal, match="write nothing but nodes"):
        await controllers.request("POST", path, {"metadata": {"name": "theirs"}})


async def test_of_pods_only_the_operators_are_deleted(deployed, controllers):
    pods = "/api/v1/namespaces/gpu-operator/pods"
    for name, app in (("manager", "nvidia-mig-manager"), ("driver", "nvidia-driver-daemonset")):
        spec = {"containers": [{"name": "main", "image": "operand"}]}
        await deployed.create(pods, {"metadata": {"name": name, "labels": {"app": app}}, "spec": spec})
    await controllers.request("DELETE", f"{pods}/manager?gracePeriodSeconds=0")
    with pytest.raises(Refusal, match="delete nothing but pods"):
        await controllers.request("DELETE", f"{pods}/driver")
    await deployed.request("DELETE", f"{pods}/driver?gracePeriodSeconds=0")


async def test_nobody_else_is_held_to_it(deployed):
    patched = await deployed.request("PATCH", NODE, {"metadata": {"labels": {"team": "audio"}}}, MERGE_PATCH)
    assert patched["metadata"]["labels"]["team"] == "audio"
