import pytest

from gateway.background import alongside
from gateway.simulator.faults import WireFault
from gateway.simulator.kinds import Resource
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.probe import READINGS, probe
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.volcano.probe import READINGS as VOLCANO
from gateway.sources.volcano.source import VolcanoSource
from tests.fakes.feed import RecordingFeed
from tests.sources.trials import outcomes, told

SERVED = [
    Resource(api_version="v1", kind="Node"),
    Resource(api_version="v1", kind="Pod"),
    Resource(api_version="v1", kind="ConfigMap"),
    Resource(api_version="apps/v1", kind="DaemonSet"),
    Resource(api_version="apps/v1", kind="Deployment"),
]
RIGHT, WRONG = "right", "wrong"
NODES, PODS = "list and watch nodes", "list and watch pods"
QUEUES = "list and watch queues.scheduling.volcano.sh"


@pytest.fixture
async def served():
    api = KubernetesApi(Store(serves=SERVED), token=RIGHT)
    async with Listener(api) as listener:
        yield api, listener


async def tried(listener, token=RIGHT):
    api = Api(ClusterAccess(name="fleet", way=Url(url=listener.url, token=token)))
    try:
        return await told(probe(api, (*READINGS, *VOLCANO)))
    finally:
        await api.close()


async def test_what_may_be_read_is_allowed_and_what_is_not_served_is_absent(served):
    trials = await tried(served[1])

    assert outcomes(trials) == {
        "reach": "ok",
        NODES: "ok",
        PODS: "ok",
        "list and watch resourceslices.resource.k8s.io": "absent",
        "list and watch resourceclaims.resource.k8s.io": "absent",
        "list and watch resourcequotas": "absent",
        "list and watch limitranges": "absent",
        "list and watch events": "absent",
        "list and watch workloads.kueue.x-k8s.io": "absent",
        "list and watch namespaces": "absent",
        "list and watch runtimeclasses.node.k8s.io": "absent",
        "list daemonsets.apps": "ok",
        "get configmaps in gpu-operator": "absent",
        QUEUES: "absent",
        "list and watch podgroups.scheduling.volcano.sh": "absent",
        "list deployments.apps": "ok",
        "get configmaps in volcano-system": "absent",
    }
    assert trials["reach"].said == "Kubernetes v1.36.3"


async def test_what_is_forbidden_is_told_with_the_rule_that_allows_it(served):
    api, listener = served
    api.faults = {"pods": KubernetesFault.FORBIDDEN, "deployments": KubernetesFault.FORBIDDEN}

    trials = await tried(listener)

    assert (trials[PODS].outcome.value, trials["list deployments.apps"].outcome.value) == (
        "FAILED",
        "warning",
    )
    assert "403 forbidden: User" in trials[PODS].said
    assert '{apiGroups: [""], resources: [pods], verbs: [list, watch]}' in trials[PODS].fix
    assert (
        '{apiGroups: ["apps"], resources: [deployments], verbs: [list]}'
        in trials["list deployments.apps"].fix
    )
    assert (
        "without it stays unknown which scheduler serves the queues" in trials["list deployments.apps"].said
    )
    assert trials[NODES].outcome.value == "ok"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (KubernetesFault.ERROR_INSIDE, "an error under status 200"),
        (KubernetesFault.SERVER_ERROR, "500 etcdserver: request timed out"),
        (KubernetesFault.UNAVAILABLE, "503"),
        (WireFault.GARBAGE, "/api/v1/nodes: "),
        (WireFault.CUT, "cluster fleet: "),
    ],
)
async def test_a_kind_that_answers_oddly_fails_alone(served, fault, said):
    api, listener = served
    api.faults = {"nodes": fault}

    trials = await tried(listener)

    assert (trials[NODES].outcome.value, trials[PODS].outcome.value) == ("FAILED", "ok")
    assert said in trials[NODES].said
    assert trials[NODES].fix


async def test_a_token_that_is_turned_down_ends_the_trial_with_its_fix(served):
    trials = await tried(served[1], token=WRONG)

    assert outcomes(trials) == {"token": "FAILED"}
    assert trials["token"].fix == "renew the token (token_file), or the user of the kubeconfig"


async def test_who_cannot_be_reached_is_asked_nothing_more(served):
    _, listener = served
    await listener.stop()

    trials = await tried(listener)

    assert outcomes(trials) == {"reach": "FAILED"}
    assert trials["reach"].fix == "check the address, the network between, and that it runs"


async def test_everything_that_the_sources_list_is_tried():
    """A kind that a source learns to read must be tried too, or check-config calls well what is not."""
    known = {reading.path for reading in (*READINGS, *VOLCANO) if "get" not in reading.verbs}
    asked, feed, served = set(), RecordingFeed(), KubernetesApi(Store(serves=SERVED))

    async def noting(scope, receive, send):
        asked.add(scope["path"])
        await served(scope, receive, send)

    async with Listener(noting) as listener:
        api = Api(ClusterAccess(name="fleet", way=Url(url=listener.url)))
        upkeep = Upkeep(api=api, feed=feed)
        async with alongside(KubernetesSource(upkeep).run()), alongside(VolcanoSource(upkeep).run()):
            await feed.until(lambda: all(one.last_success_at for one in feed.contacts.values()))
        await api.close()

    assert asked == known | {"/version"}
