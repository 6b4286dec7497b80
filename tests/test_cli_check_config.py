"""check-config as people run it, on simulated systems, a real Postgres and a real Valkey."""

import pytest

from gateway.simulator.faults import WireFault
from gateway.simulator.kinds import NODES, PODS
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.postgres.migrate import migrate
from tests.command_line import run
from tests.sources.postgres.as_writer import API, HEALTH, RECONCILER, RECORDER, dsn_of
from tests.sources.slurm.simulated_world import CREDENTIAL, USER, SimulatedWorld


@pytest.fixture
def api():
    return KubernetesApi(Store(serves=[NODES, PODS]))


@pytest.fixture
async def cluster(api):
    async with Listener(api) as listener:
        yield listener


@pytest.fixture
async def island():
    async with Listener(SimulatedWorld(42).slurmrestd) as listener:
        yield listener


@pytest.fixture
def settings(cluster, island, tmp_path):
    (tmp_path / "token").write_text(CREDENTIAL)
    file = tmp_path / "gateway.toml"
    file.write_text(
        f"""[[clusters]]
name = "fleet"
url = "{cluster.url}"
[[slurms]]
name = "island"
cluster = "fleet"
url = "{island.url}"
user = "{USER}"
token_file = "{tmp_path}/token"
"""
    )
    return file


def told_of(ended):
    """Each line's outcome, by source and what was tried."""
    lines = [line for line in ended.out.splitlines() if not line.startswith(" ")]
    words = [line.split(None, 1) for line in lines]
    return {": ".join(rest.split(": ")[:2]): outcome for outcome, rest in words}


async def test_all_is_well(settings, postgres_dsn, valkey):
    await migrate(postgres_dsn)

    ended = await run(
        "check-config",
        GPU_GATEWAY_CONFIG=str(settings),
        GPU_GATEWAY_POSTGRES_DSN=dsn_of(API, postgres_dsn),
        GPU_GATEWAY_POSTGRES_RECORDER_DSN=dsn_of(RECORDER, postgres_dsn),
        GPU_GATEWAY_POSTGRES_RECONCILER_DSN=dsn_of(RECONCILER, postgres_dsn),
        GPU_GATEWAY_POSTGRES_HEALTH_DSN=dsn_of(HEALTH, postgres_dsn),
        GPU_GATEWAY_CACHE_URL=valkey.url,
    )

    assert (ended.status, ended.err) == (0, "all is well\n")
    assert told_of(ended) == {
        "kubernetes/fleet: reach": "ok",
        "kubernetes/fleet: list and watch nodes": "ok",
        "kubernetes/fleet: list and watch pods": "ok",
        "kubernetes/fleet: list and watch resourceslices.resource.k8s.io": "absent",
        "kubernetes/fleet: list and watch resourceclaims.resource.k8s.io": "absent",
        "kubernetes/fleet: list and watch resourcequotas": "absent",
        "kubernetes/fleet: list and watch limitranges": "absent",
        "kubernetes/fleet: list and watch events": "absent",
        "kubernetes/fleet: list and watch workloads.kueue.x-k8s.io": "absent",
        "kubernetes/fleet: list and watch namespaces": "absent",
        "kubernetes/fleet: list and watch runtimeclasses.node.k8s.io": "absent",
        "kubernetes/fleet: list daemonsets.apps": "absent",
        "kubernetes/fleet: get configmaps in gpu-operator": "absent",
        "kubernetes/fleet: list and watch queues.scheduling.volcano.sh": "absent",
        "kubernetes/fleet: list and watch podgroups.scheduling.volcano.sh": "absent",
        "kubernetes/fleet: list deployments.apps": "absent",
        "kubernetes/fleet: get configmaps in volcano-system": "absent",
        "slurm/island: reach": "ok",
        "slurm/island: nodes": "ok",
        "slurm/island: jobs": "ok",
        **{
            f"platform{whose}: {what}": "ok"
            for whose in ("", "/recorder", "/reconciler", "/health_monitor")
            for what in ("reach", "encryption", "tables", "rights", "LISTEN")
        },
        "cache: reach": "ok",
    }


async def test_each_source_is_tried_whatever_the_others_do(settings, api, island, postgres_dsn):
    """A cluster that hangs, a Slurm that is not there, a database without tables, a cache that is away."""
    api.fault = WireFault.HUNG
    await island.stop()

    ended = await run(
        "check-config",
        GPU_GATEWAY_CONFIG=str(settings),
        GPU_GATEWAY_POSTGRES_DSN=postgres_dsn,
        GPU_GATEWAY_CACHE_URL=island.url.replace("http", "redis"),
    )

    assert ended.status == 1
    assert told_of(ended) == {
        "kubernetes/fleet: reach": "FAILED",
        "slurm/island: reach": "FAILED",
        "platform: reach": "ok",
        "platform: encryption": "ok",
        "platform: tables": "FAILED",
        "platform: LISTEN": "ok",
        "cache: reach": "warning",
    }
    assert "fix: run `gpu-gateway migrate` on this database" in ended.out
    assert "no answer in time" in ended.out
    assert ended.err.endswith("something that is needed does not work: see each fix\n")
    assert "Traceback" not in ended.err


async def test_a_setting_that_makes_no_sense_is_told_and_the_other_sources_are_tried(
    settings, cluster, postgres_dsn
):
    settings.write_text(settings.read_text().replace(cluster.url, "http://kubernetes.example"))
    await migrate(postgres_dsn)

    ended = await run("check-config", GPU_GATEWAY_CONFIG=str(settings), GPU_GATEWAY_POSTGRES_DSN=postgres_dsn)

    assert ended.status == 2
    assert told_of(ended)["kubernetes/fleet: settings"] == "WRONG"
    assert "would be spoken to in the clear: use https" in ended.out
    assert told_of(ended)["slurm/island: jobs"] == "ok"
    assert told_of(ended)["platform: tables"] == "ok"


async def test_nothing_to_try_is_a_mistake_in_the_settings():
    ended = await run("check-config")

    assert (ended.status, ended.out) == (2, "")
    assert "nothing is configured: name at least one system to read" in ended.err
