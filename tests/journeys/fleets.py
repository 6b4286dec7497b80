"""A small fleet: read once by the production gateway, then told again with some of it silent."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from gateway.app import Parts, graphql
from gateway.assembly import assemble
from gateway.cli.first_word import heard_from_all
from gateway.cli.stage import staged
from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.node import KubernetesNode
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.source import Contact, SourceKey
from gateway.http.limits import Limits
from gateway.http.parameters import Parameters
from gateway.simulator.bundle import load_bundle
from schema.build import build

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
SLURM_NODES = SourceKey(System.SLURM, "slurm", "nodes")
JOBS = SourceKey(System.SLURM, "slurm", "jobs")
RECORDS = SourceKey(System.PLATFORM, "", "records")

Rows = Mapping[SourceKey, Mapping[Hashable, object]]
SCHEMA = build()
LIMITS = Limits(
    max_body_bytes=100_000,
    body_seconds=1,
    max_tokens=5_000,
    max_depth=20,
    max_aliases=50,
    max_directives=50,
    cached_documents=100,
)


async def read_bundle(directory: Path = BUNDLE) -> Rows:
    """What the production gateway reads of a bundle, listing by listing."""
    async with staged(load_bundle(directory), database=False) as stage:
        assembly = assemble(stage.settings, stage.clock)
        async with assembly.running():
            await heard_from_all(assembly.keeper.pin)
            return rows_of(assembly.keeper.pin())


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
        SLURM_NODES: {node.name: node.slurm for node in nodes if isinstance(node.slurm, SlurmNode)},
        JOBS: {job.job_id: job for job in held.slurm_jobs.rows.values()},
        RECORDS: {"records": held.platform},
    }


@dataclass
class Gateway:
    """A gateway over these rows, where some listings are not heard of as the others are."""

    rows: Rows
    contacts: Mapping[SourceKey, Contact] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keeper = FleetKeeper(["fleet"], {"slurm": "fleet"} if JOBS in self.rows else {}, lambda: NOON)
        for key, rows in self.rows.items():
            contact = self.contacts.get(key, FRESH)
            told = {} if contact.last_success_at is None or contact.absent else rows
            self.keeper.replace(key, told, contact)
        parts = Parts(schema=SCHEMA, pin=self.keeper.pin, limits=LIMITS, web=BUNDLE)
        self._graphql = graphql(parts)

    def ask(self, query: str, **variables: object) -> Any:
        """The answer, as a client reads it."""
        body = self._graphql.answer(Parameters(query=query, variables=variables)).body
        return msgspec.json.decode(msgspec.json.encode(body))

    def data(self, query: str, **variables: object) -> Any:
        """The data of an answer without errors."""
        answer = self.ask(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def refusal(self, query: str, **variables: object) -> Any:
        """The only error of an answer."""
        (error,) = self.ask(query, **variables)["errors"]
        return error


def all_of(keys: Iterable[SourceKey], contact: Contact) -> Mapping[SourceKey, Contact]:
    """The same contact for several listings."""
    return dict.fromkeys(keys, contact)
