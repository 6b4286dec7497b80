"""Merge what each listing says into one set of rows, renewing only what a change reaches."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from gateway.errors import System
from gateway.fleet.event import EVENTS
from gateway.fleet.gpu import GpuType
from gateway.fleet.join import join
from gateway.fleet.kueue import WORKLOADS
from gateway.fleet.limit_range import LIMIT_RANGES
from gateway.fleet.listings import NO_RECORDS, Listings, NodeKey, no_listings
from gateway.fleet.namespace import NAMESPACES
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.operand import OPERANDS
from gateway.fleet.parts import Parts
from gateway.fleet.platform import PlatformRecords, Target
from gateway.fleet.pod import Pod
from gateway.fleet.quota import QUOTAS
from gateway.fleet.runtime_class import RUNTIME_CLASSES
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.source import SourceKey
from gateway.fleet.table import updated
from gateway.fleet.unknown import Maybe, Unknown
from gateway.fleet.witnesses import Witnesses

R = TypeVar("R")
Rows = Mapping[Hashable, object | None]
RECORDS = SourceKey(System.PLATFORM, "", "records")


class Merge:
    """The rows of every listing, and the nodes joined from them."""

    def __init__(self, slurms: Mapping[str, str]) -> None:
        self.listings: Listings = no_listings()
        self._slurms = slurms
        self._rows: defaultdict[SourceKey, dict[Hashable, object]] = defaultdict(dict)
        self._silences: dict[SourceKey, Unknown] = {}
        self._witnesses = Witnesses(self._rows, self._silences)
        self._record_clusters: defaultdict[str, set[str]] = defaultdict(set)
        self._types: Mapping[str, GpuType] | None = None
        """What the nodes were joined with last."""

    def rows(self, key: SourceKey) -> Mapping[Hashable, object]:
        """What this listing told last."""
        return self._rows[key]

    def count(self, key: SourceKey) -> int:
        """How many objects that is; the platform's records come as one row."""
        platform = self.listings.platform
        if key == RECORDS:
            return len(platform.nodes) + len(platform.tenants) + len(platform.workspaces)
        return len(self._rows[key])

    def apply(self, key: SourceKey, changes: Rows) -> None:
        """Take in what changed in one listing; None is gone."""
        rows = self._rows[key]
        before = {name: rows.get(name) for name in changes}
        for name, row in changes.items():
            if row is None:
                rows.pop(name, None)
            else:
                rows[name] = row
        if key == RECORDS:
            self._rejoin(self._records_changed(self.listings.platform, rows.get("records")))
            return
        self.listings = _listed(self.listings, key, changes)
        reached = self._witnesses.told(key, before, changes)
        self._rejoin(reached | self._machines(key, before) | self._machines(key, changes))

    def silence(self, key: SourceKey, reason: Unknown | None) -> None:
        """Withhold a listing, or show it again."""
        if reason is None:
            self._silences.pop(key, None)
        else:
            self._silences[key] = reason
        if key.kind in {"nodes", "pods", "jobs", "records"}:
            self._rejoin(self._all_machines())
        elif reached := self._witnesses.reached(key):
            self._rejoin(reached)

    def _machines(self, key: SourceKey, rows: Rows) -> set[NodeKey]:
        """Which machines rows of this listing are about."""
        names: Iterable[str] = ()
        match key:
            case (System.KUBERNETES, cluster, "pods"):
                return {
                    (cluster, row.node_name)
                    for row in rows.values()
                    if isinstance(row, Pod) and row.node_name
                }
            case (System.KUBERNETES | System.SLURM, _, "nodes"):
                names = map(str, rows)
            case (System.SLURM, _, "jobs"):
                names = (
                    name for row in rows.values() if isinstance(row, SlurmJob) for name in row.node_names
                )
        home = self._slurms[key.place] if key.system is System.SLURM else key.place
        return {machine for name in names for machine in self._namesakes(home, name)}

    def _namesakes(self, home: str, name: str) -> set[NodeKey]:
        """The machines that a name may mean: Slurm's nodes stand where a record says, else at home."""
        return {(cluster, name) for cluster in (home, *self._record_clusters.get(name, ()))}

    def _all_machines(self) -> set[NodeKey]:
        recorded = {
            (cluster, name) for name, clusters in self._record_clusters.items() for cluster in clusters
        }
        listed = (self._machines(key, rows) for key, rows in self._rows.items() if key.kind == "nodes")
        return recorded.union(*listed)

    def _records_changed(self, before: PlatformRecords, row: object) -> set[NodeKey]:
        after = row if isinstance(row, PlatformRecords) else NO_RECORDS
        self.listings = replace(self.listings, platform=after)
        for cluster, name in before.nodes.keys() - after.nodes.keys():
            self._record_clusters[name].discard(cluster)
        for cluster, name in after.nodes:
            self._record_clusters[name].add(cluster)
        if before.gpu_types != after.gpu_types:
            return self._all_machines() | set(before.nodes)
        keys = before.nodes.keys() | after.nodes.keys()
        changed = {key for key in keys if before.nodes.get(key) != after.nodes.get(key)}
        homes = self._slurms.values()  # a record moves the Slurm node of its name between these
        return {(home, name) for _, name in changed for home in homes}.union(
            changed, *(self._namesakes(cluster, name) for cluster, name in changed)
        )

    def _rejoin(self, machines: set[NodeKey]) -> None:
        held, types = self.listings.nodes, self.listings.platform.gpu_types
        same_types, self._types = types is self._types, types
        joined: dict[NodeKey, Node | None] = {}
        for machine in machines:
            before = held.get(machine)
            node = join(self._parts(machine), types, before if same_types else None)
            if node != before:
                joined[machine] = node
        self.listings = replace(self.listings, nodes=held.changed(joined))

    def _parts(self, machine: NodeKey) -> Parts:
        cluster, name = machine
        slurm = self._slurm_of(machine)
        node = self._row(SourceKey(System.KUBERNETES, cluster, "nodes"), name, KubernetesNode)
        return Parts(
            cluster=cluster,
            name=name,
            kubernetes=node,
            record=self._silences.get(RECORDS) or self.listings.platform.nodes.get(machine),
            slurm=self._row(SourceKey(System.SLURM, slurm, "nodes"), name, SlurmNode) if slurm else None,
            pods=self._pods(machine),
            jobs=self._jobs(slurm, name) if slurm else (),
            beside=self._witnesses.of(node),
        )

    def _row(self, key: SourceKey, name: str, kind: type[R]) -> Maybe[R]:
        row = self._silences.get(key) or self._rows[key].get(name)
        return row if isinstance(row, (kind, Unknown)) else None

    def _pods(self, machine: NodeKey) -> tuple[Pod, ...] | Unknown:
        silent = self._silences.get(SourceKey(System.KUBERNETES, machine[0], "pods"))
        pods = self.listings.pods.group("node", machine)
        return silent or tuple(pods[key] for key in sorted(pods))

    def _jobs(self, slurm: str, name: str) -> tuple[SlurmJob, ...] | Unknown:
        silent = self._silences.get(SourceKey(System.SLURM, slurm, "jobs"))
        jobs = self.listings.slurm_jobs.group("node", (slurm, name))
        return silent or tuple(jobs[key] for key in sorted(jobs))

    def _slurm_of(self, machine: NodeKey) -> str | None:
        """The Slurm that knows this machine, or that is silent and may know it."""
        cluster, name = machine
        silent = None
        for slurm, home in self._slurms.items():
            key = SourceKey(System.SLURM, slurm, "nodes")
            if name in self._rows[key] and self._home(home, name) == cluster:
                return slurm
            if key in self._silences and (home == cluster or self._is_meant_for_slurm(machine)):
                silent = silent or slurm
        return silent

    def _is_meant_for_slurm(self, machine: NodeKey) -> bool:
        record = self.listings.platform.nodes.get(machine)
        return record is not None and record.target is Target.SLURM

    def _home(self, home: str, name: str) -> str:
        """The cluster of a Slurm node: where others know it, else its Slurm's own."""
        recorded = self._record_clusters.get(name, set())
        known = home in recorded or name in self._rows[SourceKey(System.KUBERNETES, home, "nodes")]
        return home if known or not recorded else min(recorded)


def _listed(listings: Listings, key: SourceKey, rows: Rows) -> Listings:
    """Set the rows of a listing that is shown as it stands."""
    kept = (key.system, key.kind)
    if kept in _TABLES:
        name = _TABLES[kept]
        changed: Any = {name: getattr(listings, name).changed(_placed(key.place, rows))}
        return replace(listings, **changed)
    if kept in _ONE_A_CLUSTER:
        name = _ONE_A_CLUSTER[kept]
        told: Any = {name: updated(getattr(listings, name), {key.place: rows[key.kind]})}
        return replace(listings, **told)
    return listings


_TABLES = {
    (System.KUBERNETES, "pods"): "pods",
    (System.KUBERNETES, QUOTAS): "quotas",
    (System.KUBERNETES, LIMIT_RANGES): "limit_ranges",
    (System.KUBERNETES, EVENTS): "events",
    (System.KUBERNETES, WORKLOADS): "workloads",
    (System.KUBERNETES, NAMESPACES): "namespaces",
    (System.KUBERNETES, OPERANDS): "operands",
    (System.KUBERNETES, RUNTIME_CLASSES): "runtime_classes",
    (System.QUEUES, "queues"): "queues",
    (System.QUEUES, "podgroups"): "pod_groups",
    (System.SLURM, "jobs"): "slurm_jobs",
}
"""Which table holds the rows of a listing."""
_ONE_A_CLUSTER = {(System.KUBERNETES, "version"): "versions", (System.QUEUES, "scheduler"): "schedulers"}
"""Listings of one row, which is called as they are."""


def _placed(place: str, rows: Rows) -> dict[Any, Any]:
    """Put the cluster or the Slurm before each key."""
    return {(place, *(name if isinstance(name, tuple) else (name,))): row for name, row in rows.items()}
