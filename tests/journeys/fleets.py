"""A small fleet: read once by the production gateway, then told again with some of it silent."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gateway.assembly import assemble
from gateway.cli.first_word import heard_from_all
from gateway.cli.stage import staged
from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.node import KubernetesNode
from gateway.fleet.platform import PlatformRecords
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.source import Contact, SourceKey
from gateway.simulator.bundle import load_bundle
from gateway.simulator.world import World
from tests.asking import Gateway
from tests.wishes import a_desired, a_health_report, an_observed

BUNDLE = Path(__file__).parent / "bundle"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CONTACT = Contact(fresh_for=timedelta(minutes=1), stale_after=timedelta(minutes=5))
FRESH = CONTACT.succeeded(NOON)
NEVER = CONTACT.failed(NOON, "connection refused")
STALE = CONTACT.succeeded(NOON - timedelta(minutes=2)).failed(NOON, "connection refused")
LOST = CONTACT.succeeded(NOON - timedelta(minutes=6)).failed(NOON, "connection refused")
ABSENT = replace(FRESH, absent=True)

NODES = SourceKey(System.KUBERNETES, "fleet", "nodes")
PODS = SourceKey(System.KUBERNETES, "fleet", "pods")
VERSION = SourceKey(System.KUBERNETES, "fleet", "version")
QUEUES = SourceKey(System.QUEUES, "fleet", "queues")
POD_GROUPS = SourceKey(System.QUEUES, "fleet", "podgroups")
SCHEDULER = SourceKey(System.QUEUES, "fleet", "scheduler")
SLURM_NODES = SourceKey(System.SLURM, "slurm", "nodes")
JOBS = SourceKey(System.SLURM, "slurm", "jobs")
RECORDS = SourceKey(System.PLATFORM, "", "records")

Rows = Mapping[SourceKey, Mapping[Hashable, object]]


@dataclass(frozen=True)
class Still:
    """A keeper of one moment."""

    fleet: Fleet

    def pin(self) -> Fleet:
        """That moment."""
        return self.fleet


async def read_bundle(directory: Path = BUNDLE) -> Fleet:
    """The fleet that the production gateway reads of a bundle."""
    return await read_world(load_bundle(directory))


async def read_world(world: World) -> Fleet:
    """The fleet that it reads of a simulated one."""
    async with staged(world, database=False) as stage:
        assembly = assemble(stage.settings, stage.clock)
        async with assembly.reading():
            await heard_from_all(assembly.keeper.pin)
            assembly.alerts.look_once()
            return assembly.keeper.pin()


def rows_of(fleet: Fleet) -> Rows:
    """What each listing told, from a fleet in which none is silent."""
    held = fleet.listings
    nodes = held.nodes.rows.values()
    return {
        NODES: {node.name: node.kubernetes for node in nodes if isinstance(node.kubernetes, KubernetesNode)},
        PODS: {(pod.namespace, pod.name): pod for pod in held.pods.rows.values()},
        VERSION: {"version": held.versions["fleet"]},
        QUEUES: {queue.name: queue for queue in held.queues.rows.values()},
        POD_GROUPS: {(one.namespace, one.name): one for one in held.pod_groups.rows.values()},
        SCHEDULER: {"scheduler": held.schedulers["fleet"]},
        SLURM_NODES: {node.name: node.slurm for node in nodes if isinstance(node.slurm, SlurmNode)},
        JOBS: {job.job_id: job for job in held.slurm_jobs.rows.values()},
        RECORDS: {"records": asked_of(held.platform)},
    }


def asked_of(platform: PlatformRecords) -> PlatformRecords:
    """The same records when something was asked of every machine, and is carried out."""
    nodes = {
        key: replace(
            record, desired=a_desired(), observed=an_observed(), reported_health=a_health_report(NOON)
        )
        for key, record in platform.nodes.items()
    }
    return replace(platform, nodes=nodes)


def heard(rows: Rows, contacts: Mapping[SourceKey, Contact] | None = None) -> Gateway:
    """A gateway over these rows, where some listings are not heard of as the others are."""
    keeper = FleetKeeper(["fleet"], {"slurm": "fleet"} if JOBS in rows else {}, lambda: NOON)
    for key, told in rows.items():
        contact = (contacts or {}).get(key, FRESH)
        silent = contact.last_success_at is None or contact.absent
        keeper.replace(key, {} if silent else told, contact)
    return Gateway(keeper)


def all_of(keys: Iterable[SourceKey], contact: Contact) -> Mapping[SourceKey, Contact]:
    """The same contact for several listings."""
    return dict.fromkeys(keys, contact)
