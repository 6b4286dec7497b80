import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from graphql import get_introspection_query

NEW = "application/graphql-response+json"
OLD = "application/json"


async def post(
    client: aiohttp.ClientSession, body: object, accept: str = NEW
) -> tuple[int, str, dict[str, Any]]:
    async with client.post("/graphql", json=body, headers={"Accept": accept}) as response:
        return response.status, response.content_type, await response.json(content_type=None)


async def test_answers_a_query_that_is_posted(client):
    body = {"query": "query ($name: String!) { hello(name: $name) }", "variables": {"name": "gpu"}}

    status, media, answer = await post(client, body)

    assert (status, media) == (200, NEW)
    assert answer == {"data": {"hello": "hello gpu"}, "extensions": {"sources": []}}


async def test_answers_a_query_in_a_url(client):
    parameters = {
        "query": "query A($n: String!) { hello(name: $n) }",
        "variables": '{"n": "é"}',
        "operationName": "",
    }

    async with client.get("/graphql", params=parameters) as response:
        assert response.status == 200
        assert (await response.json(content_type=None))["data"] == {"hello": "hello é"}


async def test_chooses_the_operation_that_is_named(client):
    body = {"query": 'query A { hello } query B { hello(name: "b") }', "operationName": "B"}

    _, _, answer = await post(client, body)

    assert answer["data"] == {"hello": "hello b"}


async def test_data_with_errors_is_a_partial_success(client):
    status, _, answer = await post(client, {"query": "{ hello invalid }"})

    assert status == 294
    assert answer["data"] == {"hello": "hello world", "invalid": None}


async def test_a_root_that_failed_is_still_an_executed_request(client):
    status, _, answer = await post(client, {"query": "{ needed }"})

    assert status == 294
    assert answer["data"] is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"query": "{ hello"}, 400),
        ({"query": "{ nothing }"}, 422),
        ({"query": "query ($n: String!) { hello(name: $n) }"}, 422),
        ({"query": "query A { hello } query B { hello }"}, 422),
        ({"query": "query A { hello }", "operationName": "B"}, 422),
        ({"query": ""}, 400),
    ],
)
async def test_a_request_error_has_a_status_and_no_data(client, body, status):
    told, media, answer = await post(client, body)

    assert (told, media) == (status, NEW)
    assert "data" not in answer
    assert answer["errors"][0]["message"]


async def test_the_legacy_media_type_keeps_200_for_every_well_formed_request(client):
    for query in ("{ hello }", "{ hello invalid }", "{ nothing }", "{ hello"):
        status, media, _ = await post(client, {"query": query}, accept=OLD)
        assert (status, media) == (200, OLD), query


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, '"query" is missing'),
        ({"query": None}, '"query" is missing'),
        ({"qeury": "{ hello }"}, '"query" is missing'),
        ({"query": {"a": 1}}, '"query" must be a string'),
        ({"query": "{ hello }", "variables": []}, '"variables" must be an object'),
        ({"query": "{ hello }", "operationName": 1}, '"operationName" must be a string'),
        ({"query": "{ hello }", "extensions": "x"}, '"extensions" must be an object'),
        ([{"query": "{ hello }"}], "a batch of requests is not served"),
        ("{ hello }", "the body must be a JSON object"),
    ],
)
@pytest.mark.parametrize("accept", [NEW, OLD])
async def test_what_is_no_graphql_request_is_refused_whatever_the_media_type(client, body, says, accept):
    status, media, answer = await post(client, body, accept)

    assert (status, media) == (422, accept)
    assert says in answer["errors"][0]["message"]


async def test_parameters_that_are_null_or_unknown_are_left_out(client):
    body = {"query": "{ hello }", "variables": None, "operationName": None, "extensions": None, "more": 1}

    status, _, _ = await post(client, body)

    assert status == 200


@pytest.mark.parametrize(
    "body", [b"NONSENSE", b'{"query":', b'{"query": "\xff"}', b"[" * 5000, b"\xef\xbb\xbf{}", b""]
)
async def test_a_body_that_is_not_json_in_utf_8_is_a_bad_request(client, body):
    async with client.post("/graphql", data=body, headers={"Content-Type": OLD}) as response:
        assert response.status == 400
        assert "is not JSON" in await response.text() or "nested too deeply" in await response.text()


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/graphql"},
        {"Content-Type": OLD, "Content-Encoding": "gzip"},
    ],
)
async def test_a_body_of_another_type_is_refused(client, headers):
    async with client.post("/graphql", data=b'{"query": "{ hello }"}', headers=headers) as response:
        assert response.status == 415
        assert "application/json" in await response.text()


async def test_a_type_that_cannot_be_served_is_refused(client):
    status, media, answer = await post(client, {"query": "{ hello }"}, accept="text/html, image/*")

    assert (status, media) == (406, OLD)
    assert NEW in answer["errors"][0]["message"]


async def test_a_mutation_needs_post(client):
    async with client.get("/graphql", params={"query": "mutation { change }"}) as response:
        assert (response.status, response.headers["Allow"]) == (405, "POST")
    status, _, answer = await post(client, {"query": "mutation { change }"})
    assert (status, answer["data"]) == (200, {"change": True})


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD", "OPTIONS"])
async def test_other_methods_are_not_served(client, method):
    async with client.request(method, "/graphql") as response:
        assert (response.status, response.headers["Allow"]) == (405, "GET, POST")


async def test_a_body_beyond_the_limit_is_refused_by_its_declared_length(client):
    status, _, answer = await post(client, {"query": "{ hello }" + " " * 10_000})

    assert status == 413
    assert "10000 bytes" in answer["errors"][0]["message"]


async def test_a_body_without_a_declared_length_is_refused_once_it_is_too_long(client):
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 1_000

    async with client.post("/graphql", data=chunks(), headers={"Content-Type": OLD}) as response:
        assert response.status == 413


async def test_a_body_that_does_not_come_is_not_waited_for(client):
    async def chunks() -> AsyncIterator[bytes]:
        yield b'{"query": '
        await asyncio.sleep(30)

    async with client.post("/graphql", data=chunks(), headers={"Content-Type": OLD}) as response:
        assert response.status == 408


async def test_a_query_string_beyond_the_limit_is_refused(client):
    async with client.get("/graphql", params={"query": "{ hello }" + " " * 10_000}) as response:
        assert response.status == 414


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("query=%7Bhello%7D&query=%7Bhello%7D", 422),
        ("query=%7Bhello%7D&variables=%5B1%5D", 422),
        ("query=%7Bhello%7D&variables=nonsense", 400),
        ("query=%FF", 400),
        ("", 422),
    ],
)
async def test_a_query_string_that_is_no_request_is_refused(client, text, status):
    async with client.get(f"/graphql?{text}" if text else "/graphql") as response:
        assert response.status == status


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("{ " + "a: hello " * 200 + "}", "more than 500 tokens"),
        ("{ hello " + "\n#x" * 501 + "\n}", "comments"),
        ("{ machines { " + "parent { " * 20 + "name" + " }" * 22, "depth 22, more than 20"),
        ("{ " + " ".join(f"a{i}: hello" for i in range(6)) + "}", "aliases 6, more than 5"),
        ("{ hello " + "@include(if: true) " * 6 + "}", "directives 6, more than 5"),
    ],
)
async def test_a_document_beyond_a_limit_is_refused_before_it_is_executed(client, query, says):
    status, _, answer = await post(client, {"query": query})

    assert status in {400, 422}
    assert says in answer["errors"][0]["message"]


async def test_an_answer_is_not_kept_by_caches(client):
    async with client.get("/graphql", params={"query": "{ hello }"}) as response:
        assert response.headers["Cache-Control"] == "no-store"


async def test_introspection_as_graphiql_asks_it_passes_the_limits(client):
    query = get_introspection_query(input_value_deprecation=True, schema_description=True)
    status, _, answer = await post(client, {"query": query})
    assert status == 200, json.dumps(answer)[:300]
