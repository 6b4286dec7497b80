"""Pods that a real API server refuses: only an event about their owner tells, and a diagnosis finds it."""

import asyncio

import pytest

from gateway.errors import System
from gateway.fleet.clock import utc_now
from gateway.fleet.diagnosis.admission.limit_range import check_limit_range
from gateway.fleet.diagnosis.admission.quota import check_quota
from gateway.fleet.diagnosis.diagnosis import StepOutcome
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.source import SourceKey
from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep
from tests.fakes.feed import RecordingFeed

GPU = "nvidia.com/gpu"
EVENTS, PODS = (SourceKey(System.KUBERNETES, "fleet", kind) for kind in ("events", "pods"))


def template(cards):
    resources = {"limits": {GPU: cards}}
    container = {"name": "main", "image": "trainer", "resources": resources}
    return {"spec": {"restartPolicy": "Never", "containers": [container], "nodeSelector": {"pool": "none"}}}


@pytest.fixture
async def space(cluster):
    """A namespace of its own."""
    made = await cluster.create("/api/v1/namespaces", {"metadata": {"generateName": "refused-"}})
    return made["metadata"]["name"]


@pytest.fixture
async def feed(cluster):
    """What the cluster tells."""
    told = RecordingFeed()
    api = Api(ClusterAccess(name="fleet", way=Kubeconfig(path=cluster.kubeconfig)))
    task = asyncio.create_task(KubernetesSource(Upkeep(api=api, feed=told)).run())
    yield told
    task.cancel()
    await asyncio.wait([task])
    await api.close()


async def start(cluster, space, job):
    await cluster.create(f"/apis/batch/v1/namespaces/{space}/jobs", job)


async def refused(feed, space, pods):
    """One of the pods, and the fleet, once so many are there and one more was refused."""

    def so_far():
        about = [one for one in feed.rows.get(EVENTS, {}).values() if one.about_namespace == space]
        made = [one for one in feed.rows.get(PODS, {}).values() if one.namespace == space]
        return any(one.reason == "FailedCreate" for one in about) and len(made) == pods

    await feed.until(so_far, within=60)
    keeper = FleetKeeper(["fleet"], {}, utc_now)
    for key, rows in feed.rows.items():
        keeper.replace(key, rows, feed.contacts[key])
    fleet = keeper.pin()
    return next(one for one in fleet.pods("fleet").values() if one.namespace == space), fleet


async def test_a_job_that_may_have_two_cards_makes_no_third_pod(cluster, space, feed):
    quotas = f"/api/v1/namespaces/{space}/resourcequotas"
    body = {"metadata": {"name": "gpus"}, "spec": {"hard": {f"requests.{GPU}": "2"}}}
    await cluster.create(quotas, body)
    await cluster.until(f"{quotas}/gpus", lambda quota: "hard" in quota.get("status", {}))
    job = {"metadata": {"name": "train"}, "spec": {"parallelism": 3, "template": template("1")}}
    await start(cluster, space, job)

    pod, fleet = await refused(feed, space, pods=2)

    step = check_quota(pod, fleet)
    assert step.outcome is StepOutcome.WARN
    assert step.finding.startswith("more pods of Job/train are refused: pods ")
    assert f"exceeded quota: gpus, requested: requests.{GPU}=1, used: requests.{GPU}=2" in step.finding


async def test_a_limit_that_came_later_refuses_the_pods_that_come_after_it(cluster, space, feed):
    job = {
        "metadata": {"name": "train"},
        "spec": {"parallelism": 1, "completions": 2, "template": template("4")},
    }
    await start(cluster, space, job)
    await feed.until(lambda: any(one.namespace == space for one in feed.rows.get(PODS, {}).values()))
    body = {"metadata": {"name": "sizes"}, "spec": {"limits": [{"type": "Pod", "max": {GPU: "2"}}]}}
    await cluster.create(f"/api/v1/namespaces/{space}/limitranges", body)
    await cluster.request(
        "PATCH",
        f"/apis/batch/v1/namespaces/{space}/jobs/train",
        {"spec": {"parallelism": 2}},
        "application/merge-patch+json",
    )

    pod, fleet = await refused(feed, space, pods=1)

    step = check_limit_range(pod, fleet)
    assert step.outcome is StepOutcome.WARN
    assert f"maximum {GPU} usage per Pod is 2, but limit is 4" in step.finding
    assert (
        f"LimitRange sizes lets a pod have at most 2 {GPU}: this pod with 4 was made before" in step.finding
    )
