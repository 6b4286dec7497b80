import pytest

from gateway.errors import System
from gateway.fleet.operand import Operand
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.sources.kubernetes.operands import OperandPoll
from tests.sources.kubernetes import polled

KEY = SourceKey(System.KUBERNETES, "fleet", "operands")
NAMESPACE, PLUGIN = "gpu-operator", "nvidia-device-plugin-daemonset"


def a_daemon_set(name=PLUGIN, **spec):
    """A DaemonSet as the GPU operator makes it."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": {"app": name}},
        "spec": {"template": {"spec": {"containers": [{"name": "main", "image": "main"}]} | spec}},
    }


def a_plugin(config_map="sharing", default=""):
    """The device plugin with configurations."""
    mount = {"name": "configs", "mountPath": "/available-configs"}
    env = [
        {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "DEFAULT_CONFIG", "value": default},
    ]
    manager = {"name": "config-manager", "image": "main", "volumeMounts": [mount], "env": env}
    return a_daemon_set(
        nodeSelector={"nvidia.com/gpu.deploy.device-plugin": "true"},
        runtimeClassName="nvidia",
        tolerations=[{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        initContainers=[manager],
        volumes=[
            {"name": "scripts", "configMap": {"name": "entrypoint"}},
            {"name": "configs", "configMap": {"name": config_map}},
            {"name": "plugins", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}},
        ],
    )


def a_config_map(*names, name="sharing"):
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict.fromkeys(names, "")}


async def told(*objects, faults=None):
    return await polled.told(OperandPoll, KEY, *objects, faults=faults)


async def only(*objects, **faults):
    rows, _ = await told(*objects, **faults)
    (row,) = rows.values()
    return row


async def test_reads_what_the_device_plugin_asks_for_and_which_configurations_it_has():
    found = await only(a_plugin(default="whole"), a_config_map("whole", "four"), a_daemon_set("fluentd"))

    assert (found.cluster, found.namespace, found.name) == ("fleet", NAMESPACE, PLUGIN)
    assert found.operand is Operand.DEVICE_PLUGIN
    assert found.runtime_class == "nvidia"
    assert dict(found.node_selector) == {"nvidia.com/gpu.deploy.device-plugin": "true"}
    assert found.constraints.node_selector.matches({"nvidia.com/gpu.deploy.device-plugin": "true"})
    assert [one.key for one in found.constraints.tolerations] == ["nvidia.com/gpu"]
    assert found.privileges == ("hostPath volumes",)
    assert (found.config_map, found.configs, found.default_config) == ("sharing", {"whole", "four"}, "whole")


async def test_a_plugin_without_configurations_has_none():
    found = await only(a_daemon_set())

    assert (found.config_map, found.configs, found.default_config) == (None, None, None)
    assert found.privileges == ()


async def test_configurations_that_are_not_there_are_none_and_forbidden_ones_unknown():
    gone = await only(a_plugin())
    hidden = await only(a_plugin(), faults={"configmaps": KubernetesFault.FORBIDDEN})

    assert gone.configs == frozenset()
    assert isinstance(hidden.configs, Unknown)
    assert "ConfigMap gpu-operator/sharing cannot be read" in hidden.configs.reason


@pytest.mark.parametrize(
    ("spec", "privileges"),
    [
        ({"containers": [{"securityContext": {"privileged": True}}]}, ("a privileged container",)),
        (
            {"initContainers": [{"securityContext": {"capabilities": {"add": ["SYS_ADMIN", "CHOWN"]}}}]},
            ("the capability SYS_ADMIN",),
        ),
        ({"containers": [{"securityContext": {"capabilities": {"add": ["CHOWN"]}}}]}, ()),
        ({"volumes": [{"name": "a", "emptyDir": {}}]}, ()),
        ({"hostPID": True}, ("namespaces of the host",)),
        ({"hostNetwork": False}, ()),
    ],
    ids=[
        "privileged",
        "a capability",
        "a harmless one",
        "no host's volume",
        "the host's processes",
        "nothing",
    ],
)
async def test_reads_what_the_level_baseline_forbids(spec, privileges):
    assert (await only(a_daemon_set(**spec))).privileges == privileges


async def test_a_cluster_without_operands_has_none_and_nothing_is_wrong():
    rows, contact = await told(a_daemon_set("fluentd"))

    assert (rows, contact.absent, contact.error) == ({}, False, None)


async def test_a_cluster_that_serves_no_daemon_sets_tells_of_none():
    rows, contact = await told()

    assert (rows, contact.absent, contact.error) == ({}, True, None)


async def test_while_daemon_sets_are_forbidden_nothing_is_told():
    rows, contact = await told(a_plugin(), faults={"daemonsets": KubernetesFault.FORBIDDEN})

    assert rows == {}
    assert "403" in contact.error


async def test_what_is_no_list_of_daemon_sets_is_an_error():
    rows, contact = await told(a_daemon_set() | {"spec": {"template": None}})

    assert rows == {}
    assert "/apis/apps/v1/daemonsets" in contact.error
