import asyncio

import pytest

from gateway.background import alongside


async def forever(ended: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("work")


async def failing() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError("ours")


async def test_work_ends_with_the_body():
    ended: list[str] = []
    async with alongside(forever(ended)):
        await asyncio.sleep(0)

    assert ended == ["work"]


async def test_a_failure_beside_ends_the_body_in_its_own_words():
    with pytest.raises(ZeroDivisionError, match="ours"):
        async with asyncio.timeout(5), alongside(failing()):
            await asyncio.Event().wait()

    assert asyncio.current_task().cancelling() == 0


async def test_a_failure_of_the_body_stays_what_it_is():
    ended: list[str] = []

    async def body() -> None:
        async with alongside(forever(ended)):
            await asyncio.sleep(0)
            raise LookupError

    with pytest.raises(LookupError):
        await body()

    assert ended == ["work"]


async def test_a_cancelled_body_stays_cancelled():
    ended: list[str] = []

    async def body() -> None:
        async with alongside(forever(ended)):
            await asyncio.Event().wait()

    task = asyncio.create_task(body())
    await asyncio.sleep(0.01)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["work"]
