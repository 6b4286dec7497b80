import asyncio
import logging
from dataclasses import replace

import pytest

from gateway.app import graphql
from gateway.http.execution import Outcome
from gateway.http.parameters import Parameters
from gateway.http.refusal import Refusal
from gateway.telemetry import REQUEST_ID
from tests.asking import at_once
from tests.http.tiny import CONTACT, JOBS, LIMITS, NODES, NOON, Fleets


def ask(query, fleets=None, **variables):
    return answered(graphql((fleets or Fleets()).parts()), query, **variables)


def answered(gateway, query, **variables):
    return at_once(gateway.answer(Parameters(query=query, variables=variables)))


def test_silence_down_a_list_is_one_error_with_the_first_path_and_a_count():
    answer = ask("{ machines { name jobs } }")

    assert answer.outcome is Outcome.PARTIAL
    assert answer.body["data"]["machines"][2] == {"name": "c", "jobs": None}
    assert answer.body["errors"] == [
        {
            "message": "slurm/island/jobs is silent: connection refused",
            "path": ["machines", 0, "jobs"],
            "extensions": {
                "code": "SOURCE_STALE",
                "system": "SLURM",
                "cluster": "island",
                "observedAt": NOON,
                "retryable": True,
                "count": 3,
            },
        }
    ]


def test_silence_at_another_path_is_an_error_of_its_own():
    answer = ask("{ machines { jobs parent { jobs } } }")

    assert [(error["path"], error["extensions"]["count"]) for error in answer.body["errors"]] == [
        (["machines", 0, "jobs"], 3),
        (["machines", 0, "parent", "jobs"], 3),
    ]


def test_tells_how_fresh_the_sources_are_that_an_answer_used():
    fleets = Fleets()
    fleets.keeper.replace(NODES, {}, CONTACT.succeeded(NOON))
    fleets.keeper.touch(JOBS, CONTACT)
    nodes = {
        "name": "kubernetes/fleet/nodes",
        "system": "KUBERNETES",
        "cluster": "fleet",
        "state": "FRESH",
        "observedAt": NOON,
    }
    jobs = {
        "name": "slurm/island/jobs",
        "system": "SLURM",
        "cluster": "island",
        "state": "NEVER",
        "observedAt": None,
    }

    def sources(query, **variables):
        return ask(query, fleets, **variables).body["extensions"]["sources"]

    assert sources("{ machines { name } }") == [nodes]
    assert sources("{ machines { ...Work } } fragment Work on Machine { jobs }") == [nodes, jobs]
    assert sources("{ hello }") == []


def test_another_operation_of_the_document_uses_nothing_for_this_one():
    fleets = Fleets()
    fleets.keeper.touch(JOBS, CONTACT)
    fleets.keeper.touch(NODES, CONTACT)
    document = "query Names { machines { name } } query Work { machines { jobs } }"
    gateway = graphql(fleets.parts())

    answers = [
        at_once(gateway.answer(Parameters(query=document, operation_name=name))) for name in ("Names", "Work")
    ]

    used = [[source["system"] for source in answer.body["extensions"]["sources"]] for answer in answers]
    assert used == [["KUBERNETES"], ["KUBERNETES", "SLURM"]]


def test_what_nobody_foresaw_is_masked_and_logged_under_the_requests_id(caplog):
    token = REQUEST_ID.set("request-7")
    with caplog.at_level(logging.ERROR):
        answer = ask("{ hello broken }")
    REQUEST_ID.reset(token)

    assert answer.body["data"] == {"hello": "hello world", "broken": None}
    (error,) = answer.body["errors"]
    assert "secret" not in str(error)
    assert "request-7" in error["message"]
    assert error["extensions"] == {"code": "INTERNAL", "requestId": "request-7"}
    assert "the secret" in caplog.text


def test_what_fails_down_a_list_is_told_and_logged_once(caplog):
    with caplog.at_level(logging.ERROR):
        answer = ask("{ machines { broken } }")

    (error,) = answer.body["errors"]
    assert error["path"] == ["machines", 0, "broken"]
    assert error["extensions"]["count"] == 3
    assert caplog.text.count("\nRuntimeError: the secret") == 1


def test_what_is_meant_for_callers_is_told_in_full():
    answer = ask("{ invalid unreachable }")

    invalid, unreachable = answer.body["errors"]
    assert (invalid["message"], invalid["extensions"]) == ("first must be at most 500", {"code": "INVALID"})
    assert unreachable["extensions"] == {
        "code": "SOURCE_UNAVAILABLE",
        "system": "PLATFORM",
        "retryable": True,
    }


def test_a_safe_method_changes_nothing():
    with pytest.raises(Refusal, match="a mutation needs POST"):
        at_once(graphql(Fleets().parts()).answer(Parameters(query="mutation { change }"), safe=True))


def test_a_document_is_checked_once_and_what_was_wrong_is_told_again():
    gateway = graphql(Fleets().parts())

    for _ in range(2):
        assert answered(gateway, "{ hello }").status == 200
        assert answered(gateway, "{ nothing }").status == 422


def test_answers_of_different_documents_do_not_mix():
    gateway = graphql(Fleets().parts())
    texts = [f'{{ hello(name: "{number}") }}' for number in range(30)]

    answers = [answered(gateway, text) for text in texts + texts]

    assert [answer.body["data"]["hello"] for answer in answers] == [f"hello {n}" for n in range(30)] * 2


def test_a_chain_of_fragments_that_is_too_long_is_refused():
    fragments = "".join(f"fragment F{i} on Query {{ ...F{i + 1} }} " for i in range(2_000))
    query = "{ ...F0 } " + fragments + "fragment F2000 on Query { hello }"
    parts = replace(Fleets().parts(), limits=replace(LIMITS, max_tokens=50_000))

    answer = answered(graphql(parts), query)

    assert answer.status == 422
    assert "nests its fragments too deeply" in answer.body["errors"][0]["message"]


def test_fragments_within_themselves_are_refused():
    answer = ask("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }")

    assert answer.status == 422
    assert "itself" in answer.body["errors"][0]["message"]


def test_each_request_sees_one_moment():
    fleets = Fleets()
    gateway = graphql(fleets.parts())
    fleets.keeper.replace(NODES, {}, CONTACT.succeeded(NOON))
    first = answered(gateway, "{ machines { name } }")
    fleets.now = NOON.replace(hour=13)
    second = answered(gateway, "{ machines { name } }")

    states = [answer.body["extensions"]["sources"][0]["state"] for answer in (first, second)]
    assert states == ["FRESH", "DOWN"]


async def test_executes_without_awaiting():
    gateway = graphql(Fleets().parts())
    seen: list[str] = []
    asyncio.get_running_loop().call_soon(seen.append, "loop")

    answered(gateway, "{ hello }")

    assert seen == []
