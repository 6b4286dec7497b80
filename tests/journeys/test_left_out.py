"""What a bundle leaves out was never recorded, which is not the same as empty."""

import shutil

import pytest

from tests.asking import Gateway
from tests.journeys.fleets import BUNDLE, Still, read_bundle

ASKED = """{
  clusters {
    kubernetesVersion
    nodes { totalCount nodes { name ready } }
    pods { totalCount }
    queues { name }
    slurmJobs { totalCount }
  }
  tenants { totalCount }
}"""


@pytest.fixture
def answer(tmp_path):
    """What is answered of the bundle without some of its files."""

    async def without(*names):
        kept = tmp_path / "bundle"
        shutil.copytree(BUNDLE, kept, ignore=shutil.ignore_patterns(*names))
        return Gateway(Still(await read_bundle(kept))).ask(ASKED)

    return without


def silences(answer):
    return {
        ".".join(part for part in error["path"] if isinstance(part, str)): error["extensions"]["code"]
        for error in answer.get("errors", ())
    }


async def test_pods_that_were_not_dumped_are_unknown_and_volcano_is_not_there(answer):
    told = await answer("pods.yaml", "queues.yaml", "platform.yaml", "slurm")

    (cluster,) = told["data"]["clusters"]
    assert silences(told) == {"clusters.pods": "SOURCE_UNAVAILABLE"}
    assert cluster["kubernetesVersion"] == "v1.36.3"
    assert cluster["nodes"]["totalCount"] == 5
    assert (cluster["pods"], cluster["queues"], cluster["slurmJobs"]) == (None, None, None)
    assert told["data"]["tenants"] is None


async def test_a_cluster_that_was_not_dumped_was_never_reached(answer):
    told = await answer("kubernetes", "platform.yaml")

    (cluster,) = told["data"]["clusters"]
    assert silences(told) == {
        "clusters.kubernetesVersion": "SOURCE_UNAVAILABLE",
        "clusters.nodes": "SOURCE_UNAVAILABLE",
        "clusters.pods": "SOURCE_UNAVAILABLE",
        "clusters.queues": "SOURCE_UNAVAILABLE",
    }
    assert cluster["slurmJobs"] == {"totalCount": 2}


async def test_jobs_that_were_not_dumped_are_unknown(answer):
    told = await answer("jobs.json", "platform.yaml")

    assert silences(told) == {"clusters.slurmJobs": "SOURCE_UNAVAILABLE"}
    assert told["data"]["clusters"][0]["nodes"]["totalCount"] == 6
