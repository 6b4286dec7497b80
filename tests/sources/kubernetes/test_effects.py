import json

import pytest

from gateway.errors import SourceMisread, SourceUnavailable
from gateway.fleet.live import Effect
from gateway.sources.kubernetes.api import Reply
from gateway.sources.kubernetes.effects import effect_of


def a_reply(code, message="no", *, reason="", causes=()):
    body = {"message": message, "reason": reason, "details": {"causes": list(causes)}}
    return Reply(status=code, body=json.dumps(body).encode())


def effect(*args, **more):
    return effect_of(a_reply(*args, **more), "cluster fleet: /api/v1/nodes/gpu-1").effect


BUDGET = {"reason": "DisruptionBudget", "message": "The disruption budget web needs 2 healthy pods and has 2"}


@pytest.mark.parametrize("code", [200, 201, 202])
def test_what_the_server_did_is_done(code):
    result = effect_of(Reply(status=code, body=b"{}"), "")
    assert (result.effect, result.message) == (Effect.DONE, "")


def test_too_many_requests_are_a_budget_only_where_the_server_says_so():
    assert effect(429, causes=[BUDGET]) is Effect.BUDGET
    assert effect(429) is Effect.LATER


def test_a_conflict_is_of_fields_of_a_uid_or_of_versions():
    assert effect(409, causes=[{"reason": "FieldManagerConflict"}]) is Effect.CONFLICT
    assert effect(409, "uid mismatch: the provided object specified uid 1") is Effect.GONE
    assert effect(409, "the UID in the precondition (1) does not match the UID in record (2)") is Effect.GONE
    assert effect(409, "Precondition failed: UID in precondition: 1, UID in object meta: 2") is Effect.GONE
    assert effect(409, "the object has been modified") is Effect.MOVED
    assert effect(409, reason="AlreadyExists") is Effect.MOVED


def test_a_uid_that_cannot_be_changed_is_of_another_thing():
    assert effect(422, causes=[{"field": "metadata.uid"}]) is Effect.GONE
    assert effect(422, causes=[{"field": "metadata.labels"}]) is Effect.REFUSED


def test_what_is_not_there_is_gone():
    assert effect(404, reason="NotFound") is Effect.GONE


@pytest.mark.parametrize("code", [403, 422, 500])
def test_a_refusal_is_told_in_the_servers_words(code):
    result = effect_of(a_reply(code, "not by you", causes=[{"message": "not by you"}]), "")
    assert (result.effect, result.message) == (Effect.REFUSED, "not by you")


def test_the_words_name_the_budget_which_the_message_does_not():
    result = effect_of(a_reply(429, "Cannot evict pod.", causes=[BUDGET]), "")
    assert result.message == f"Cannot evict pod. {BUDGET['message']}"


def test_a_server_that_could_not_judge_is_unavailable():
    with pytest.raises(SourceUnavailable, match="gpu-1: 503 etcd is away"):
        effect(503, "etcd is away")


@pytest.mark.parametrize("code", [400, 405, 415])
def test_a_request_that_the_server_does_not_know_is_misread(code):
    with pytest.raises(SourceMisread, match=f"gpu-1: {code} no"):
        effect(code)


def test_a_404_of_who_does_not_know_the_api_is_no_node_that_is_gone():
    with pytest.raises(SourceMisread):
        effect_of(Reply(status=404, body=b'"no such page"'), "cluster fleet")
