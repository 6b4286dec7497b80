"""What a row of controller says: who leads, in which epoch, and whether it is paused."""

from gateway.fleet.desired import Controller
from gateway.sources.postgres.node_rows import Row


def read_controller(row: Row, in_change: int) -> Controller:
    """The controller; how many nodes it has out of service stands in their own records."""
    return Controller(
        name=row["name"],
        leader=row["holder"],
        epoch=row["epoch"],
        paused=row["paused_by"] is not None,
        paused_by=row["paused_by"],
        reason=row["paused_reason"],
        in_change=in_change,
        max_in_change=row["max_in_change"],
    )
