from dataclasses import replace

import pytest

from tests.http.tiny import CONTACT, JOBS, NODES, NOON


async def readyz(client, query=""):
    async with client.get(f"/readyz{query}") as response:
        return response.status, await response.json()


async def test_is_alive_whatever_the_sources_do(client):
    async with client.get("/healthz") as response:
        assert (response.status, await response.json()) == (200, {"status": "alive"})


async def test_is_not_ready_before_every_source_was_tried(client, fleets):
    fleets.keeper.replace(NODES, {}, CONTACT.succeeded(NOON))
    fleets.keeper.touch(JOBS, CONTACT)

    status, body = await readyz(client)

    assert (status, body["status"], body["waiting"]) == (503, "unready", ["slurm/island/jobs"])


async def test_is_ready_once_every_source_answered(client, fleets):
    for key in (NODES, JOBS):
        fleets.keeper.replace(key, {}, CONTACT.succeeded(NOON))

    status, body = await readyz(client)

    assert (status, body["status"], body["silent"]) == (200, "ready", [])


async def test_one_silent_source_is_named_and_takes_nobody_out_of_service(client, fleets):
    fleets.keeper.replace(NODES, {}, CONTACT.succeeded(NOON))
    fleets.keeper.touch(JOBS, CONTACT.failed(NOON, "connection refused"))

    status, body = await readyz(client)

    assert (status, body["status"], body["silent"]) == (200, "degraded", ["slurm/island/jobs"])
    assert body["sources"][1] == {
        "name": "slurm/island/jobs",
        "system": "SLURM",
        "cluster": "island",
        "state": "NEVER",
        "lastSuccessAt": None,
        "lastAttemptAt": "2026-11-29T12:00:00Z",
        "consecutiveFailures": 1,
        "skipped": 0,
        "error": "connection refused",
    }


async def test_who_asks_strictly_is_told_of_one_silent_source_by_the_status(client, fleets):
    fleets.keeper.replace(NODES, {}, CONTACT.succeeded(NOON))
    fleets.keeper.touch(JOBS, CONTACT.failed(NOON, "connection refused"))

    assert (await readyz(client, "?strict"))[0] == 503


async def test_is_not_ready_when_nobody_answers(client, fleets):
    fleets.keeper.replace(NODES, {}, CONTACT.succeeded(NOON))
    fleets.now = NOON.replace(hour=13)

    status, body = await readyz(client)

    assert (status, body["silent"]) == (503, ["kubernetes/fleet/nodes"])


async def test_what_is_not_there_is_not_waited_for(client, fleets):
    fleets.keeper.replace(NODES, {}, CONTACT.succeeded(NOON))
    fleets.keeper.replace(JOBS, {}, replace(CONTACT.succeeded(NOON), absent=True))

    assert (await readyz(client))[1]["status"] == "ready"


async def test_is_not_ready_without_any_source(client):
    assert (await readyz(client))[0] == 503


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_answers_probes_that_ask_for_nothing_but_headers(client, path):
    async with client.head(path) as response:
        assert await response.read() == b""
