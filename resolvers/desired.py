"""What was asked of a machine, how far it is, and what the health monitor saw."""

import strawberry

from gateway.errors import System
from gateway.fleet.desired import Blocker
from gateway.fleet.health_reason import ReportedHealth
from gateway.fleet.node import Node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.unknown import Maybe, Unknown, UnknownCode
from resolvers.context import Info
from resolvers.entity import find_entity


def reported_health(node: strawberry.Parent[Node], info: Info) -> Maybe[ReportedHealth]:
    """What the health monitor saw last; null with SOURCE_STALE once that is older than stale_after."""
    record, fleet = node.record, info.context.fleet
    if not isinstance(record, NodeRecord):
        return record
    report = record.reported_health
    if not isinstance(report, ReportedHealth) or fleet.now - report.checked_at <= fleet.stale_after:
        return report
    return Unknown(
        code=UnknownCode.SOURCE_STALE,
        system=System.PLATFORM,
        reason="the health monitor has not looked at this machine lately",
        observed_at=report.checked_at,
    )


def workload(blocker: strawberry.Parent[Blocker], info: Info) -> Maybe[Pod | SlurmJob]:
    """The workload that it is about; null where it is about none, or that is gone."""
    if blocker.workload_id is None:
        return None
    found = find_entity(info.context.fleet, blocker.workload_id)
    return found if isinstance(found, Pod | SlurmJob | Unknown) else None
