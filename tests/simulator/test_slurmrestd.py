import json

import pytest

from gateway.simulator.slurm_failures import SlurmFault
from gateway.simulator.slurmrestd import Recorded, Slurmrestd
from tests.simulator.client import serving

OLD, NEW, NEWEST = "v0.0.38", "v0.0.42", "v0.0.45"


def recorded(*versions):
    return Recorded({(version, "nodes"): b'{"nodes": [{}], "errors": []}' for version in versions})


async def answered(fault, version, what):
    api = Slurmrestd(recorded(version))
    api.fault = fault
    async with serving(api) as client:
        status, text = await client.text(f"/slurm/{version}/{what}")
    return status, json.loads(text)


async def test_an_unknown_version_is_404_in_plain_text():
    async with serving(Slurmrestd(recorded(NEW))) as client:
        assert await client.text("/slurm/v0.0.99/nodes") == (
            404,
            "Unable find requested URL. Please view /openapi/v3 for API reference.",
        )


@pytest.mark.parametrize(
    ("version", "ping"),
    [
        (OLD, {"ping": "UP", "mode": "primary", "status": 0}),
        (NEW, {"pinged": "UP", "responding": True, "mode": "primary", "primary": True}),
        (NEWEST, {"responding": True, "primary": True, "status": "No error"}),
    ],
)
async def test_a_ping_that_nobody_recorded_is_said_in_the_words_of_its_version(version, ping):
    status, body = await answered(None, version, "ping")

    assert status == 200
    said = body["pings"][0]
    assert {key: said[key] for key in said if key not in {"hostname", "latency"}} == ping


@pytest.mark.parametrize("what", ["nodes", "jobs", "partitions", "diag", "ping"])
@pytest.mark.parametrize(
    "fault", [SlurmFault.CONTROLLER_STOPPED, SlurmFault.CONTROLLER_HUNG, SlurmFault.BAD_TOKEN]
)
async def test_22_05_has_one_failure_for_a_dead_controller_and_a_bad_token(fault, what):
    status, body = await answered(fault, OLD, what)

    [error] = body["errors"]
    assert (status, error["error"]) == (500, "Unspecified error")
    assert error.get("errno", error.get("error_number")) == -1
    assert not any(body.get(key) for key in ("nodes", "jobs", "partitions", "pings", "statistics"))


async def test_22_05_lists_no_nodes_beside_its_failure():
    _, body = await answered(SlurmFault.BAD_TOKEN, OLD, "nodes")

    assert (body["nodes"], body["errors"]) == ([], [{"error": "Unspecified error", "errno": -1}])


@pytest.mark.parametrize(
    ("fault", "code", "number"),
    [
        (SlurmFault.CONTROLLER_STOPPED, 502, 1800),
        (SlurmFault.CONTROLLER_HUNG, 504, 5004),
        (SlurmFault.BAD_TOKEN, 511, 1007),
        (SlurmFault.ERROR_INSIDE, 200, 0),
    ],
)
async def test_24_11_names_its_failure_and_holds_no_nodes(fault, code, number):
    status, body = await answered(fault, NEW, "nodes")

    assert (status, body["errors"][0]["error_number"]) == (code, number)
    assert "nodes" not in body


async def test_24_11_puts_an_empty_list_of_jobs_beside_its_failure():
    status, body = await answered(SlurmFault.CONTROLLER_STOPPED, NEW, "jobs")

    assert (status, body["jobs"], len(body["errors"])) == (502, [], 1)


async def test_24_11_gives_no_reason_for_partitions():
    status, body = await answered(SlurmFault.CONTROLLER_STOPPED, NEW, "partitions")

    assert (status, body["errors"]) == (502, [])


async def test_a_ping_of_24_11_says_by_200_that_the_controller_is_down():
    status, body = await answered(SlurmFault.CONTROLLER_STOPPED, NEW, "ping")

    assert (status, body["pings"][0]["pinged"], body["pings"][0]["responding"]) == (200, "DOWN", False)


async def test_an_empty_list_has_no_word_of_failure():
    status, body = await answered(SlurmFault.EMPTY, NEW, "nodes")

    assert (status, body["nodes"], body["errors"]) == (200, [], [])


async def test_a_fault_of_one_question_leaves_the_others_alone():
    api = Slurmrestd(recorded(NEW))
    api.faults["jobs"] = SlurmFault.EMPTY
    async with serving(api) as client:
        assert await client.json(f"/slurm/{NEW}/nodes") == (200, {"nodes": [{}], "errors": []})
        assert (await client.json(f"/slurm/{NEW}/jobs"))[1]["jobs"] == []


NAME, TOKEN, BEARER = "x-slurm-user-name", "x-slurm-user-token", "authorization"


@pytest.mark.parametrize(
    ("headers", "old", "new"),
    [
        ({}, 401, 401),
        ({NAME: "gateway"}, 401, 401),
        ({NAME: "gateway", TOKEN: "right"}, 200, 200),
        ({TOKEN: "right"}, 401, 200),
        ({BEARER: "Bearer right"}, 401, 200),
        ({NAME: "gateway", TOKEN: "wrong"}, 500, 511),
        ({NAME: "another", TOKEN: "right"}, 500, 511),
    ],
)
async def test_each_release_takes_its_own_headers(headers, old, new):
    api = Slurmrestd(recorded(OLD, NEW), user="gateway", token="right")  # noqa: S106  (no secret)
    async with serving(api) as client:
        statuses = [await client.status(f"/slurm/{version}/nodes", **headers) for version in (OLD, NEW)]

    assert statuses == [old, new]
