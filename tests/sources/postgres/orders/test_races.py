"""Eight callers at once: what only one may get, one gets."""

import asyncio
from collections import Counter

from gateway.fleet.change import AssignNode, ReleaseNode, SetAllocation, SetCordon, Written
from gateway.fleet.platform import Target
from gateway.fleet.problem import ProblemCode, Refused
from tests.sources.postgres.running import open_session

CALLERS = range(8)
GPU_01 = {"cluster": "fleet", "node": "gpu-01"}


async def at_once(replica, changes, **how):
    return await asyncio.gather(*(replica.ask(change, **how) for change in changes))


def told(outcomes):
    """How many were made, how many were so already, and how many were refused by which code."""
    return Counter(
        ("made" if one.changes else "so already") if isinstance(one, Written) else one.code
        for one in outcomes
    )


async def test_exactly_as_many_get_a_card_as_are_healthy(replica, session):
    await session.executemany(
        "INSERT INTO workspace (tenant_id, name, cluster) VALUES ('vision', $1, 'fleet')",
        [(f"team-{caller}",) for caller in CALLERS],
    )
    changes = [
        SetAllocation(tenant="vision", workspace=f"team-{caller}", gpu_type="T4-16GB", cards=1, healthy=5)
        for caller in CALLERS
    ]
    outcomes = await at_once(replica, changes)
    assert told(outcomes) == {"made": 5, ProblemCode.EXCEEDS_CAPACITY: 3}
    assert await session.fetchval("SELECT sum(cards) FROM gpu_allocation") == 5
    given = [space.allocations for space in replica.records.workspaces.values() if space.allocations]
    assert len(given) == 5


async def test_one_of_many_tenants_gets_a_node_and_the_others_are_told_who(replica, session):
    await session.executemany("INSERT INTO tenant VALUES ($1)", [(f"team-{caller}",) for caller in CALLERS])
    changes = [
        AssignNode(cluster="fleet", node=node, tenant=f"team-{caller}", target=Target.KUBERNETES)
        for caller in CALLERS
        for node in ("gpu-03", "gpu-09")
    ]
    outcomes = await at_once(replica, changes)
    assert told(outcomes) == {"made": 2, ProblemCode.FOREIGN_OWNER: 14}
    for node, place in (("gpu-03", 0), ("gpu-09", 1)):
        holder = replica.node(node).tenant_name
        refused = [one for one in outcomes[place::2] if isinstance(one, Refused)]
        assert {one.message for one in refused} == {
            f"node fleet/{node} is held by tenant {holder}: have it released first"
        }


async def test_a_release_beside_assignments_leaves_the_node_to_one_of_them_or_to_nobody(replica):
    change = AssignNode(**GPU_01, tenant="speech", target=Target.KUBERNETES)
    *assigned, released = await at_once(replica, [*[change] * 7, ReleaseNode(**GPU_01)])
    made = told(assigned)["made"]
    assert (made, replica.node("gpu-01").tenant_name) in {(1, "speech"), (0, None), (1, None)}
    assert released.changes


async def test_eight_times_the_same_key_is_one_change_and_one_answer(replica, session):
    outcomes = await at_once(replica, [SetCordon(**GPU_01, cordoned=True)] * 8, key="k")
    assert outcomes == [outcomes[0]] * 8
    assert (outcomes[0].generation, len(outcomes[0].changes)) == (1, 1)
    assert await session.fetchval("SELECT count(*) FROM field_change WHERE field = 'desired_cordoned'") == 1


async def test_who_waits_for_a_key_that_comes_to_nothing_does_it_instead(replica, session, migrated):
    first = session.transaction()
    await first.start()
    await session.execute(
        "INSERT INTO answered (actor, mutation, key, fingerprint) VALUES ('ada', 'setCordon', 'k', $1)",
        b"1".ljust(32),
    )
    waiting = asyncio.create_task(replica.ask(SetCordon(**GPU_01, cordoned=True), key="k"))
    async with open_session(migrated) as watching:
        await somebody_waits(watching, session.get_server_pid())
    await first.rollback()
    assert (await waiting).generation == 1


async def test_one_of_eight_who_saw_the_same_generation_changes_it(replica):
    changes = [SetCordon(**GPU_01, cordoned=True, reason=str(caller), if_generation=0) for caller in CALLERS]
    outcomes = await at_once(replica, changes)
    assert told(outcomes) == {"made": 1, ProblemCode.GENERATION_CONFLICT: 7}
    assert {one.current_generation for one in outcomes if not isinstance(one, Written)} == {1}
    (winner,) = (one for one in outcomes if isinstance(one, Written))
    assert winner.changes[1].after == replica.node("gpu-01").desired.cordon_reason


async def test_one_of_eight_who_saw_nothing_allocated_allocates(replica):
    changes = [
        SetAllocation(
            tenant="vision",
            workspace="training",
            gpu_type="T4-16GB",
            cards=n + 1,
            healthy=99,
            if_generation=0,
        )
        for n in CALLERS
    ]
    assert told(await at_once(replica, changes)) == {"made": 1, ProblemCode.GENERATION_CONFLICT: 7}


async def test_who_waits_too_long_for_another_is_told_to_try_again(replica, session):
    async with session.transaction():
        await session.execute("SELECT FROM node_record WHERE name = 'gpu-01' FOR UPDATE")
        problem = await replica.ask(SetCordon(**GPU_01, cordoned=True))
    assert (problem.code, problem.retryable) == (ProblemCode.OTHER, True)
    assert problem.message == "somebody else is changing the same: try again when they are done"


async def somebody_waits(watching, pid):
    """Return once somebody waits for the session with this process."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))"
    async with asyncio.timeout(10):
        while not await watching.fetchval(query, pid):  # noqa: ASYNC110 - nobody tells who waits for a lock
            await asyncio.sleep(0.02)
