"""Machines joined from parts and whole fleets in a keeper, for tests."""

# ruff: noqa: PLR0913 - one parameter for what each system says

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from gateway.errors import System
from gateway.fleet.beside import NOTHING_BESIDE, Beside
from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType
from gateway.fleet.join import join
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.merge import RECORDS
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.parts import Parts
from gateway.fleet.platform import NodeRecord, PlatformRecords
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.source import Contact, SourceKey
from gateway.fleet.unknown import Unknown, UnknownCode
from tests.builders import CLUSTER, NOON, SLURM, some_records

FRESH = Contact(fresh_for=timedelta(minutes=1), stale_after=timedelta(minutes=10), last_success_at=NOON)
NEVER = Contact(fresh_for=timedelta(minutes=1), stale_after=timedelta(minutes=10))
ABSENT = Contact(
    fresh_for=timedelta(minutes=1), stale_after=timedelta(minutes=10), last_success_at=NOON, absent=True
)
NODES = SourceKey(System.KUBERNETES, CLUSTER, "nodes")
PODS = SourceKey(System.KUBERNETES, CLUSTER, "pods")
VERSION = SourceKey(System.KUBERNETES, CLUSTER, "version")
QUEUES = SourceKey(System.QUEUES, CLUSTER, "queues")
POD_GROUPS = SourceKey(System.QUEUES, CLUSTER, "podgroups")
SLURM_NODES = SourceKey(System.SLURM, SLURM, "nodes")
SLURM_JOBS = SourceKey(System.SLURM, SLURM, "jobs")


def silence(system: System, place: str = "", code: UnknownCode = UnknownCode.SOURCE_STALE) -> Unknown:
    """Why a system's numbers may not be shown."""
    return Unknown(code=code, system=system, place=place, reason=f"{system.value} is silent")


def a_machine(
    kubernetes: KubernetesNode | Unknown | None = None,
    record: NodeRecord | Unknown | None = None,
    slurm: SlurmNode | Unknown | None = None,
    *,
    pods: tuple[Pod, ...] | Unknown = (),
    jobs: tuple[SlurmJob, ...] | Unknown = (),
    name: str = "gpu-01",
    beside: Beside = NOTHING_BESIDE,
    types: Mapping[str, GpuType] = CATALOGUE,
) -> Node:
    """A machine that is joined from what systems say."""
    known = next((it for it in (kubernetes, record, slurm) if it and not isinstance(it, Unknown)), None)
    node = join(
        Parts(
            cluster=CLUSTER,
            name=known.name if known else name,
            kubernetes=kubernetes,
            record=record,
            slurm=slurm,
            pods=pods,
            jobs=jobs,
            beside=beside,
        ),
        types,
    )
    assert node is not None, "no system knows this machine"
    return node


class Hands:
    """A clock whose hands a test moves."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def a_keeper(
    nodes: Iterable[KubernetesNode] = (),
    pods: Iterable[Pod] = (),
    records: PlatformRecords | None = None,
    *,
    slurm_nodes: Iterable[SlurmNode] = (),
    jobs: Iterable[SlurmJob] = (),
    queues: Iterable[Queue] = (),
    pod_groups: Iterable[PodGroup] = (),
    clock: Hands | None = None,
) -> FleetKeeper:
    """A keeper that heard of everything a moment ago: one cluster, and one Slurm at home in it."""
    keeper = FleetKeeper([CLUSTER], {SLURM: CLUSTER}, clock or Hands())
    keeper.replace(VERSION, {"version": "v1.36.3"}, FRESH)
    keeper.replace(NODES, {one.name: one for one in nodes}, FRESH)
    keeper.replace(PODS, {(one.namespace, one.name): one for one in pods}, FRESH)
    keeper.replace(QUEUES, {one.name: one for one in queues}, FRESH)
    keeper.replace(POD_GROUPS, {(one.namespace, one.name): one for one in pod_groups}, FRESH)
    keeper.replace(SLURM_NODES, {one.name: one for one in slurm_nodes}, FRESH)
    keeper.replace(SLURM_JOBS, {one.job_id: one for one in jobs}, FRESH)
    keeper.replace(RECORDS, {"records": records or some_records()}, FRESH)
    return keeper


def a_fleet(*rows: object, **told: object) -> Fleet:
    """What a request sees of such a keeper."""
    return a_keeper(*rows, **told).pin()
