"""The health monitor's side of the records: the health of nodes, and nothing else of them."""

from collections.abc import Callable, Mapping

from gateway.fleet.health_reason import ReportedHealth
from gateway.sources.postgres.connection import LIMITS, connected, database_now
from gateway.sources.postgres.node_rows import to_json

# A report that came late does not undo a newer one, and one of a clock that is ahead keeps none away.
_REPORT = """
UPDATE node_record
   SET health_healthy = told.healthy, health_reasons = told.reasons::jsonb,
       health_checked_at = least(told.checked_at, now())
  FROM unnest($2::text[], $3::boolean[], $4::text[], $5::timestamptz[])
       AS told (name, healthy, reasons, checked_at)
 WHERE cluster = $1 AND node_record.name = told.name
   AND (health_checked_at <= told.checked_at) IS NOT FALSE
"""


class PostgresHealthLedger:
    """What the health monitor wrote down, over one connection at a time."""

    def __init__(self, dsn: Callable[[], str]) -> None:
        self._dsn = dsn

    async def report(self, cluster: str, reports: Mapping[str, ReportedHealth]) -> None:
        """Write the health of the nodes that have a record, by name."""
        async with connected(database_now(self._dsn), "gpu-gateway health", **LIMITS) as connection:
            await connection.execute(
                _REPORT,
                cluster,
                list(reports),
                [report.healthy for report in reports.values()],
                [to_json(report.reasons) for report in reports.values()],
                [report.checked_at for report in reports.values()],
            )
