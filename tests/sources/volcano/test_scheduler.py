import pytest

from gateway.errors import System
from gateway.fleet.scheduler import SharePlugin
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.simulator.status import refusal
from gateway.simulator.store import Store
from gateway.sources.volcano.scheduler import SchedulerPoll
from tests.sources.kubernetes import polled
from tests.sources.kubernetes.polled import polling
from tests.sources.volcano.installation import a_config_map, a_deployment

KEY = SourceKey(System.QUEUES, "fleet", "scheduler")


async def told(*objects, faults=None):
    """What is told of a cluster with these objects: its scheduler, and how contact stands."""
    rows, contact = await polled.told(SchedulerPoll, KEY, *objects, faults=faults)
    return rows.get("scheduler"), contact


async def test_reads_the_release_off_the_image_and_the_rest_off_the_mounted_configuration():
    other = a_deployment("vc-scheduler:v9.9.9", name="other", labels={"app": "other"})
    scheduler, contact = await told(a_deployment(), other, a_config_map())
    assert scheduler.cluster == "fleet"
    assert str(scheduler.release) == "v1.13.3"
    assert scheduler.config.share_plugin is SharePlugin.CAPACITY
    assert "reclaim" in scheduler.config.actions
    assert (contact.absent, contact.error) == (False, None)


async def test_finds_it_in_any_namespace_and_reads_the_file_that_its_flag_names():
    deployment = a_deployment(
        "registry.example.com/mirror/vc-scheduler:v1.14.0@sha256:0f",
        name="batch",
        arguments=["--scheduler-conf", "/volcano.scheduler/own.conf"],
    )
    shown = a_config_map("actions: 'allocate'", name="batch-configmap", key="own.conf")
    scheduler, _ = await told(deployment, shown)
    assert str(scheduler.release) == "v1.14.0"
    assert scheduler.config.actions == ("allocate",)


async def test_without_a_configuration_of_its_own_it_does_what_volcano_ships():
    scheduler, _ = await told(a_deployment(arguments=["--logtostderr"]))
    assert scheduler.config.actions == ("enqueue", "allocate", "backfill")
    assert scheduler.config.share_plugin is SharePlugin.PROPORTION


@pytest.mark.parametrize("objects", [[], [a_config_map()], [a_deployment(labels={"app": "web"})]])
async def test_where_there_is_no_such_deployment_nothing_is_expected(objects):
    scheduler, contact = await told(*objects)
    assert scheduler is None
    assert (contact.absent, contact.error) == (True, None)


async def test_two_schedulers_leave_it_open_which_serves_the_queues():
    scheduler, _ = await told(a_deployment(), a_deployment(name="second"), a_config_map())
    assert isinstance(scheduler.release, Unknown)
    assert scheduler.release.reason == (
        "there are several schedulers: "
        "Deployment volcano-system/second, Deployment volcano-system/volcano-scheduler"
    )


@pytest.mark.parametrize(
    "image", ["vc-scheduler:latest", "vc-scheduler", "vc-scheduler@sha256:0f13", "a:5000/b"]
)
async def test_an_image_without_a_release_says_so_and_the_configuration_is_read_all_the_same(image):
    scheduler, _ = await told(a_deployment(image), a_config_map())
    assert isinstance(scheduler.release, Unknown)
    assert image in scheduler.release.reason
    assert scheduler.config.share_plugin is SharePlugin.CAPACITY


async def test_where_the_gateway_may_not_look_that_is_the_reason_and_no_failure():
    scheduler, contact = await told(a_deployment(), faults={"deployments": KubernetesFault.FORBIDDEN})
    assert isinstance(scheduler.release, Unknown)
    assert "may not list Deployments" in scheduler.release.reason
    assert "403" in scheduler.release.reason
    assert not scheduler.release.is_silence
    assert contact.error is None


class OneNamespaceOnly:
    """A cluster whose gateway may list Deployments where Volcano usually is, and nowhere else."""

    def __init__(self, *objects):
        self._api = KubernetesApi(Store(objects))

    async def __call__(self, scope, receive, send):
        answer = refusal(403, "forbidden") if scope["path"] == "/apis/apps/v1/deployments" else self._api
        await answer(scope, receive, send)


async def test_where_it_may_look_in_one_namespace_only_it_looks_there():
    async with polling(SchedulerPoll, OneNamespaceOnly(a_deployment(), a_config_map())) as feed:
        await feed.until(lambda: KEY in feed.rows)
        assert str(feed.rows[KEY]["scheduler"].release) == "v1.13.3"


async def test_what_is_not_in_that_namespace_may_be_elsewhere():
    async with polling(
        SchedulerPoll, OneNamespaceOnly(a_deployment(namespace="batch"), a_config_map())
    ) as feed:
        await feed.until(lambda: KEY in feed.rows)
        assert isinstance(feed.rows[KEY]["scheduler"].release, Unknown)


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([], "ConfigMap volcano-system/volcano-scheduler-configmap cannot be read"),
        ([a_config_map(key="other.conf")], "has no volcano-scheduler.conf"),
        ([a_config_map("actions: [")], "volcano-scheduler.conf is no configuration of a scheduler"),
    ],
)
async def test_a_configuration_that_is_not_there_costs_only_itself(objects, said):
    scheduler, contact = await told(a_deployment(), *objects)
    assert str(scheduler.release) == "v1.13.3"
    assert isinstance(scheduler.config, Unknown)
    assert said in scheduler.config.reason
    assert contact.error is None


async def test_a_secret_configuration_costs_only_itself():
    faults = {"configmaps": KubernetesFault.FORBIDDEN}
    scheduler, _ = await told(a_deployment(), a_config_map(), faults=faults)
    assert str(scheduler.release) == "v1.13.3"
    assert "403" in scheduler.config.reason


async def test_a_configuration_from_elsewhere_is_not_guessed():
    deployment = a_deployment(arguments=["--scheduler-conf=/etc/volcano/own.conf"])
    scheduler, _ = await told(deployment, a_config_map())
    assert scheduler.config.reason == (
        "the configuration of Deployment volcano-system/volcano-scheduler comes from no ConfigMap"
    )


@pytest.mark.parametrize("fault", [KubernetesFault.UNAVAILABLE, KubernetesFault.ERROR_INSIDE])
async def test_a_silent_server_is_a_failure_and_no_absence(fault):
    scheduler, contact = await told(a_deployment(), faults={"deployments": fault})
    assert scheduler is None
    assert not contact.absent
    assert contact.consecutive_failures == 1
