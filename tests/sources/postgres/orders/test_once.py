import pytest

from gateway.errors import SourceMisread
from gateway.fleet.change import Once, Order, ReleaseNode, SetCordon, Written
from gateway.fleet.problem import ProblemCode

GPU_01 = {"cluster": "fleet", "node": "gpu-01"}
CORDON = SetCordon(**GPU_01, cordoned=True, reason="fan")
UNCORDON = SetCordon(**GPU_01, cordoned=False)


async def test_the_same_key_again_is_answered_with_what_it_came_to_then(replica):
    first = await replica.ask(CORDON, key="k")
    await replica.ask(UNCORDON)
    assert await replica.ask(CORDON, key="k") == first
    assert (first.generation, len(first.changes)) == (1, 2)
    assert not replica.node("gpu-01").desired.cordoned


async def test_a_key_that_came_to_nothing_new_is_kept_as_well(replica):
    await replica.ask(CORDON)
    assert await replica.ask(CORDON, key="k") == Written(changes=(), generation=1)
    await replica.ask(UNCORDON)
    assert await replica.ask(CORDON, key="k") == Written(changes=(), generation=1)


async def test_the_same_key_for_something_else_is_a_mistake_that_is_told(replica):
    await replica.ask(CORDON, key="k", fingerprint=b"1")
    problem = await replica.ask(UNCORDON, key="k", fingerprint=b"2")
    assert (problem.code, problem.path) == (ProblemCode.KEY_REUSED, ("idempotencyKey",))
    assert (
        problem.message
        == "idempotencyKey 'k' was used for another setCordon: take a new key for a new request"
    )
    assert replica.node("gpu-01").desired.cordoned


async def test_a_key_is_one_callers_and_one_mutations(replica):
    await replica.ask(CORDON, key="k")
    assert (await replica.ask(UNCORDON, key="k", actor="bob", fingerprint=b"2")).generation == 2
    assert (await replica.ask(ReleaseNode(**GPU_01), key="k", fingerprint=b"3")).generation == 3


async def test_a_refusal_uses_no_key(replica):
    refused = SetCordon(**GPU_01, cordoned=True, if_generation=7)
    assert (await replica.ask(refused, key="k")).code is ProblemCode.GENERATION_CONFLICT
    assert (await replica.ask(CORDON, key="k", fingerprint=b"2")).generation == 1


async def test_a_key_is_kept_for_a_day(replica, session):
    first = await replica.ask(CORDON, key="k")
    await replica.ask(UNCORDON)
    await session.execute("UPDATE answered SET at = now() - interval '23 hours'")
    assert await replica.ask(CORDON, key="k") == first
    await session.execute("UPDATE answered SET at = now() - interval '24 hours'")
    assert (await replica.ask(CORDON, key="k")).generation == 3


@pytest.mark.parametrize("kept", [None, '{"changes": 7}', "[]"])
async def test_what_a_key_came_to_and_nobody_can_read_is_told_and_not_done_again(replica, session, kept):
    await replica.ask(CORDON, key="k")
    await replica.ask(UNCORDON)
    await session.execute("UPDATE answered SET result = $1::text::jsonb", kept)
    with pytest.raises(SourceMisread, match=r"idempotencyKey 'k' was used, .* take a new key"):
        await replica.ask(CORDON, key="k")
    assert not replica.node("gpu-01").desired.cordoned


async def test_what_a_key_came_to_is_told_without_doing_anything(replica):
    order = Order(change=CORDON, actor="ada", once=Once(key="k", fingerprint=b"1".ljust(32)))
    assert await replica.writer.repeated(order) is None
    assert replica.node("gpu-01").desired is None
    written = await replica.writer.write(order)
    assert await replica.writer.repeated(order) == written
    other = Order(change=CORDON, actor="ada", once=Once(key="k", fingerprint=b"2".ljust(32)))
    assert (await replica.writer.repeated(other)).code is ProblemCode.KEY_REUSED
    assert await replica.writer.repeated(Order(change=CORDON, actor="ada")) is None
