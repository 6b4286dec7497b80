"""The reconciler's side of the records: it leads, reads wishes, and claims a node before each effect."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import asyncpg
from asyncpg import Connection

from gateway.errors import SourceMisread, System
from gateway.fleet.desired import RESTING, ReconcilePhase
from gateway.fleet.wish import Claim, Wish
from gateway.sources.postgres.connection import LIMITS, connected, database_now
from gateway.sources.postgres.node_rows import Row, UnreadableRow, read_wish, to_json, to_text
from gateway.sources.postgres.sqlstates import PAUSED, STALE_LEADER

# Naming a holder begins an epoch, which the database counts.
_LEAD = """
INSERT INTO controller AS held (name, holder, max_in_change) VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, max_in_change = excluded.max_in_change
RETURNING epoch
"""
_WISHES = "SELECT * FROM node_record WHERE cluster = $1 ORDER BY name"
# The epoch holds for this statement alone. Without an effect to follow, another target may be told of.
_CLAIM = """
UPDATE node_record
   SET observed_phase = $5, observed_generation = $4, observed_message = $6,
       observed_blockers = $7::text::jsonb, observed_progress = $8::text::jsonb,
       observed_layout_converged = coalesce($9, observed_layout_converged, 0)
  FROM (SELECT set_config('gateway.epoch', $1, true) AS epoch) AS session
 WHERE session.epoch = $1 AND cluster = $2 AND name = $3 AND desired_generation = $4
   AND (target = 'KUBERNETES' OR $10)
RETURNING true
"""
_UNTOUCHED = {None, ReconcilePhase.CONVERGED.value}


class PostgresNodeLedger:
    """What is desired of nodes and how far that is, over one connection at a time."""

    def __init__(self, dsn: Callable[[], str]) -> None:
        self._dsn = dsn

    async def lead(self, controller: str, holder: str, max_in_change: int) -> int:
        """Begin a new epoch; from now on what earlier leaders write is refused."""
        async with self._connected() as connection:
            epoch: int = await connection.fetchval(_LEAD, controller, holder, max_in_change)
        return epoch

    async def wishes(self, cluster: str) -> Sequence[Wish]:
        """Every node record of a cluster that can be read, now; the records' source names the others."""
        async with self._connected() as connection:
            rows = await connection.fetch(_WISHES, cluster)
        return [wish for row in rows if (wish := _readable(dict(row)))]

    async def claim(self, claim: Claim) -> bool:
        """Write how far a node is, before the effect; False: the wish moved, a pause, or another leads."""
        async with self._connected() as connection:
            try:
                return await connection.fetchval(_CLAIM, *_parameters(claim)) is True
            except asyncpg.PostgresError as error:
                if error.sqlstate in {STALE_LEADER, PAUSED}:
                    return False
                raise

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator["Connection[asyncpg.Record]"]:
        async with connected(database_now(self._dsn), "gpu-gateway reconciler", **LIMITS) as connection:
            yield connection


def _readable(row: Row) -> Wish | None:
    try:
        return read_wish(row)
    except UnreadableRow as why:
        if row["observed_phase"] in _UNTOUCHED:
            return None
        # It may be out of service, so nobody can say how many are.
        node = f"{row['cluster']}/{row['name']}"
        raise SourceMisread(System.PLATFORM, f"node_record {node} is in change, and {why}") from why


def _parameters(claim: Claim) -> tuple[object, ...]:
    return (
        str(claim.epoch),
        claim.cluster,
        claim.node,
        claim.generation,
        claim.phase.value,
        to_text(claim.message),
        to_json(claim.blockers),
        to_json(claim.progress),
        claim.layout_converged,
        claim.phase in RESTING,
    )
