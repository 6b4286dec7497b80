import io
import json
import logging
import re
from dataclasses import replace

import aiohttp
import pytest

from gateway.app import create_app
from gateway.simulator.listener import Listener
from gateway.telemetry import JsonLines


@pytest.fixture
def log():
    """What an operator reads: formatted as it is written, while the request goes on."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("gateway")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


async def test_answers_under_the_id_that_the_caller_gives(client):
    async with client.get("/healthz", headers={"X-Request-Id": "web-17:a.b"}) as response:
        assert response.headers["X-Request-Id"] == "web-17:a.b"


@pytest.mark.parametrize("offered", ['"}{', "a b", "x" * 129, "é"])
async def test_an_id_that_could_spoil_a_log_is_replaced(client, offered):
    async with client.get("/healthz", headers={"X-Request-Id": offered}) as response:
        assert re.fullmatch("[0-9a-f]{24}", response.headers["X-Request-Id"])


async def test_logs_each_request_under_its_id_without_its_query_string(client, log):
    await client.get("/graphql", params={"query": "{ hello }"}, headers={"X-Request-Id": "seven"})

    (line,) = log()
    assert (line["level"], line["message"], line["requestId"]) == ("info", "request", "seven")
    assert (line["method"], line["path"], line["status"]) == ("GET", "/graphql", 200)
    assert line["seconds"] >= 0
    assert "hello" not in json.dumps(line)


async def test_probes_are_logged_only_for_who_looks_closely(client, log):
    await client.get("/healthz")

    assert log() == []


async def test_an_id_belongs_to_one_request_alone(client, log):
    await client.post("/graphql", json={"query": "{ broken }"}, headers={"X-Request-Id": "one"})
    await client.post("/graphql", json={"query": "{ broken }"}, headers={"X-Request-Id": "two"})

    told = [line for line in log() if line["level"] == "error"]
    assert [line["requestId"] for line in told] == ["one", "two"]
    assert "RuntimeError: the secret" in told[0]["traceback"]


async def test_a_failure_outside_of_execution_is_masked_too(fleets, log):
    app = create_app(replace(fleets.parts(), pin=lambda: 1 / 0))

    async with (
        Listener(app) as listener,
        aiohttp.ClientSession(listener.url) as client,
        client.get("/readyz", headers={"X-Request-Id": "three"}) as response,
    ):
        assert response.status == 500
        answer = await response.json()

    assert answer["errors"][0]["extensions"] == {"code": "INTERNAL", "requestId": "three"}
    assert "ZeroDivisionError" in log()[0]["traceback"]
