import pytest

from gateway.errors import System
from gateway.fleet.layouts import LayoutRule
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.sources.kubernetes.migconfigs import MigConfigPoll
from tests.sources.kubernetes import polled

KEY = SourceKey(System.KUBERNETES, "fleet", "migconfigs")
WHERE = "ConfigMap gpu-operator/default-mig-parted-config"
CONFIG = """
version: v1
mig-configs:
  all-disabled:
    - devices: all
      mig-enabled: false
  ours:
    - device-filter: ["0x20B210DE", "0x233010DE"]
      devices: all
      mig-enabled: true
      mig-devices: {"1g.10gb": 7}
    - device-filter: 0x20b010de
      devices: [0, 1]
      mig-enabled: true
      mig-devices: {"1g.5gb+me": 1}
""".replace("0x20b010de", '"0x20b010de"')


def a_manager(config_map="default-mig-parted-config", app="nvidia-mig-manager"):
    """The MIG manager's DaemonSet as the GPU operator makes it."""
    volumes = [
        {"name": "mig-parted-config", "configMap": {"name": config_map}} if config_map else {"name": "x"},
        {"name": "gpu-clients", "configMap": {"name": "default-gpu-clients"}},
        {"name": "host-root", "hostPath": {"path": "/"}},
    ]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": app, "namespace": "gpu-operator", "labels": {"app": app}},
        "spec": {"template": {"spec": {"volumes": volumes}}},
    }


def a_config_map(text=CONFIG, key="config.yaml", name="default-mig-parted-config"):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "gpu-operator"},
        "data": {key: text},
    }


async def told(*objects, faults=None):
    return await polled.told(MigConfigPoll, KEY, *objects, faults=faults)


async def test_reads_the_layouts_that_the_mig_manager_mounts():
    others = a_manager("scripts", app="other"), a_config_map(name="scripts")
    files, contact = await told(a_manager(), a_config_map(), *others)

    assert files[WHERE].layouts == {
        "all-disabled": (LayoutRule(boards=(), devices=None, slices={}),),
        "ours": (
            LayoutRule(boards=("20B2", "2330"), devices=None, slices={"1g.10gb": 7}),
            LayoutRule(boards=("20B0",), devices=(0, 1), slices={"1g.5gb+me": 1}),
        ),
    }
    assert files.keys() == {WHERE}
    assert (contact.absent, contact.error) == (False, None)


@pytest.mark.parametrize(
    "objects",
    [
        [],
        [a_config_map()],
        [a_manager(app="other"), a_config_map()],
        [a_manager(None), a_config_map()],
        [a_manager("gone"), a_config_map()],
    ],
    ids=["an empty cluster", "no DaemonSets", "another DaemonSet", "no ConfigMap", "a missing ConfigMap"],
)
async def test_where_no_layouts_are_configured_nothing_is_expected(objects):
    files, contact = await told(*objects)

    assert files == {}
    assert (contact.absent, contact.error) == (True, None)


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        (CONFIG, "layouts.yaml", "has no config.yaml"),
        ("mig-configs: [", "config.yaml", "holds no MIG layouts"),
        ("version: v1", "config.yaml", "holds no MIG layouts"),
        ("mig-configs: {a: [{devices: some}]}", "config.yaml", "neither all nor a list"),
    ],
)
async def test_what_cannot_be_read_is_unknown_with_its_reason(text, key, reason):
    files, contact = await told(a_manager(), a_config_map(text, key))

    assert isinstance(files[WHERE].layouts, Unknown)
    assert reason in files[WHERE].layouts.reason
    assert contact.error is None


@pytest.mark.parametrize(
    ("refused", "reason"),
    [("daemonsets", "may not list DaemonSets"), ("configmaps", "cannot be read: cluster fleet")],
)
async def test_where_the_gateway_may_not_look_that_is_the_reason_and_no_failure(refused, reason):
    files, contact = await told(a_manager(), a_config_map(), faults={refused: KubernetesFault.FORBIDDEN})

    (file,) = files.values()
    assert reason in file.layouts.reason
    assert "403" in file.layouts.reason
    assert not file.layouts.is_silence
    assert contact.error is None


async def test_a_silent_server_is_a_failure_and_no_absence():
    files, contact = await told(a_manager(), faults={"daemonsets": KubernetesFault.UNAVAILABLE})

    assert files == {}
    assert (contact.absent, contact.consecutive_failures) == (False, 1)
