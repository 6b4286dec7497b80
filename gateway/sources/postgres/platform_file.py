"""The platform's records as people write them: platform.yaml, checked whole before anything is made of it."""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import yaml

from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.gpu import GpuType, Price
from gateway.fleet.platform import Allocation, NodeRecord, Target, Tenant, Workspace
from gateway.sources.postgres.file_wishes import NodeWish, read_wishes
from gateway.sources.postgres.marked_yaml import MarkedYaml

R = TypeVar("R")
Values = dict[str, yaml.Node]
DEFAULT_CLUSTER = "fleet"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformFile:
    """What one platform.yaml says."""

    gpu_types: tuple[GpuType, ...]
    """Only the platform's own."""
    prices: tuple[tuple[str, Price], ...]
    """Each with its GPU type."""
    tenants: tuple[Tenant, ...]
    workspaces: tuple[Workspace, ...]
    nodes: tuple[NodeRecord, ...]
    wishes: tuple[NodeWish, ...] = ()
    """What is asked of nodes, each of a record of the file."""


def read_platform_file(path: Path, clusters: Sequence[str] = (DEFAULT_CLUSTER,)) -> PlatformFile:
    """Read and check a platform.yaml, or raise Invalid with a line for each mistake.

    `clusters` counts where the file itself lists none; with several, each node and workspace says which.
    """
    source = MarkedYaml(path)
    file = _Reader(source, clusters).file(source.document())
    source.finish()
    return file


class _Reader:
    """Goes through the file once, and remembers what may stand in it only once."""

    def __init__(self, source: MarkedYaml, clusters: Sequence[str]) -> None:
        self._yaml = source
        self._clusters = tuple(clusters)
        self._listed = False
        self._types = set(CATALOGUE)
        self._seen: dict[str, tuple[int, str]] = {}
        self._workspaces: list[Workspace] = []
        self._nodes: list[NodeRecord] = []
        self._wishes: list[NodeWish] = []

    def file(self, document: yaml.Node | None) -> PlatformFile:
        keys = ("gpuTypes", "prices", "tenants", "nodes", "clusters")
        top = self._yaml.mapping(document, "the file", (), keys)
        if "clusters" in top:
            self._clusters, self._listed = self._yaml.texts(top["clusters"], "clusters"), True
        gpu_types = self._each(top.get("gpuTypes"), "gpuTypes", self._gpu_type)
        prices = self._each(top.get("prices"), "prices", self._price)
        tenants = self._each(top.get("tenants"), "tenants", self._tenant)
        self._records(top.get("nodes"), "nodes", None)
        return PlatformFile(
            gpu_types=gpu_types,
            prices=prices,
            tenants=tenants,
            workspaces=tuple(self._workspaces),
            nodes=tuple(self._nodes),
            wishes=tuple(self._wishes),
        )

    def _gpu_type(self, node: yaml.Node) -> GpuType | None:
        values = self._yaml.mapping(node, "GPU type", ("name",), ("memoryMiB", "products", "slurmTypes"))
        name = self._yaml.text(values.get("name"), "name of a GPU type")
        if name is None:
            return None
        what = f"GPU type {name}"
        self._types.add(name)
        self._once(node, what, "gpuTypes")
        for product in self._yaml.items(values.get("products"), f"{what}: products"):
            self._once(product, f"product {product.value}", what)
        return GpuType(
            name=name,
            memory_mib=self._yaml.count(values.get("memoryMiB"), f"{what}: memoryMiB", least=1),
            products=self._yaml.texts(values.get("products"), f"{what}: products"),
            slurm_types=self._yaml.texts(values.get("slurmTypes"), f"{what}: slurmTypes"),
            mig_profiles=(),
        )

    def _price(self, node: yaml.Node) -> tuple[str, Price] | None:
        values = self._yaml.mapping(node, "price", ("gpuType", "amount", "currency", "from"))
        gpu_type = self._known_type(values.get("gpuType"), "price: gpuType")
        what = f"price of {gpu_type}"
        amount = self._yaml.amount(values.get("amount"), f"{what}: amount")
        currency = self._currency(values.get("currency"), f"{what}: currency")
        start = self._yaml.moment(values.get("from"), f"{what}: from")
        if gpu_type is None or amount is None or currency is None or start is None:
            return None
        self._once(node, f"{what} from {start.isoformat()}", "prices")
        return gpu_type, Price(amount=amount, currency=currency, effective_from=start)

    def _tenant(self, node: yaml.Node) -> Tenant | None:
        values = self._yaml.mapping(node, "tenant", ("name",), ("displayName", "nodes", "workspaces"))
        name = self._yaml.text(values.get("name"), "name of a tenant")
        if name is None:
            return None
        what = f"tenant {name}"
        self._once(node, what, "tenants")
        self._records(values.get("nodes"), f"{what}: nodes", name)
        for workspace in self._yaml.items(values.get("workspaces"), f"{what}: workspaces"):
            self._workspace(workspace, name)
        display_name = self._yaml.text(values.get("displayName"), f"{what}: displayName")
        return Tenant(name=name, display_name=display_name)

    def _workspace(self, node: yaml.Node, tenant: str) -> None:
        keys = ("cluster", "namespaces", "queue", "allocations")
        values = self._yaml.mapping(node, f"workspace of {tenant}", ("name",), keys)
        name = self._yaml.text(values.get("name"), f"name of a workspace of {tenant}")
        if name is None:
            return
        what = f"workspace {tenant}/{name}"
        self._once(node, what, f"tenant {tenant}")
        cluster = self._cluster(node, values, what)
        for namespace in self._yaml.items(values.get("namespaces"), f"{what}: namespaces"):
            self._once(namespace, f"namespace {namespace.value} of cluster {cluster}", what)
        record = Workspace(
            tenant_name=tenant,
            name=name,
            cluster_name=cluster,
            namespaces=self._yaml.texts(values.get("namespaces"), f"{what}: namespaces"),
            queue_name=self._yaml.text(values.get("queue"), f"{what}: queue"),
            allocations=self._allocations(values.get("allocations"), f"{what}: allocations"),
        )
        self._workspaces.append(record)

    def _allocations(self, node: yaml.Node | None, what: str) -> tuple[Allocation, ...]:
        given = []
        for gpu_type, value in self._yaml.pairs(node, what).items():
            self._check_type(value, what, gpu_type)
            cards = self._yaml.count(value, f"{what}: {gpu_type}")
            given.append(Allocation(gpu_type=gpu_type, cards=cards or 0, generation=1))
        return tuple(given)

    def _records(self, nodes: yaml.Node | None, what: str, tenant: str | None) -> None:
        for node in self._yaml.items(nodes, what):
            keys = ("cluster", "cards", "gpuType", "desired")
            values = self._yaml.mapping(node, "node", ("name", "target"), keys)
            name = self._yaml.text(values.get("name"), "name of a node")
            if name is not None:
                record = self._node(node, values, name, tenant)
                self._nodes.append(record)
                self._wish(values.get("desired"), record)

    def _node(self, node: yaml.Node, values: Values, name: str, tenant: str | None) -> NodeRecord:
        what = f"node {name}"
        cluster = self._cluster(node, values, what)
        self._once(node, f"{what} of cluster {cluster}", f"tenant {tenant}" if tenant else "no tenant")
        target = self._yaml.choice(values.get("target"), f"{what}: target", list(Target.__members__))
        return NodeRecord(
            cluster=cluster,
            name=name,
            target=Target[target] if target else None,
            tenant_name=tenant,
            claimed_cards=self._yaml.count(values.get("cards"), f"{what}: cards"),
            claimed_gpu_type=self._known_type(values.get("gpuType"), f"{what}: gpuType"),
        )

    def _wish(self, node: yaml.Node | None, record: NodeRecord) -> None:
        """Note what is asked of a node, as far as its target can have it."""
        wishes = tuple(read_wishes(self._yaml, node, record.cluster, record.name))
        if node is not None and wishes and record.target is Target.SLURM:
            said = "serves SLURM, where nothing is carried out; leave it out, or write target: KUBERNETES"
            self._yaml.mistake(node, f"node {record.name}: desired: {said}")
        self._wishes += wishes

    def _cluster(self, node: yaml.Node, values: Values, what: str) -> str:
        named = self._yaml.text(values.get("cluster"), f"{what}: cluster")
        if named is None and len(self._clusters) == 1:
            return self._clusters[0]
        known = ", ".join(self._clusters)
        if named is None:
            self._yaml.mistake(
                node, f"{what}: cluster is missing where there are several; add one of {known}"
            )
        elif self._listed and named not in self._clusters:
            self._yaml.mistake(
                values["cluster"], f"{what}: cluster {named!r} is not in clusters ({known}); add it"
            )
        return named or ""

    def _known_type(self, node: yaml.Node | None, what: str) -> str | None:
        name = self._yaml.text(node, what)
        if name is not None and node is not None:
            self._check_type(node, what, name)
        return name

    def _check_type(self, node: yaml.Node, what: str, name: str) -> None:
        if name not in self._types:
            models = sorted(known for known in self._types if known.startswith(f"{name}-"))
            meant = " or ".join(models or difflib.get_close_matches(name, self._types, n=1))
            fix = f"write {meant}, or add it to gpuTypes" if meant else "add it to gpuTypes"
            self._yaml.mistake(node, f"{what}: {name!r} is neither in gpuTypes nor in the catalogue; {fix}")

    def _currency(self, node: yaml.Node | None, what: str) -> str | None:
        text = self._yaml.text(node, what)
        if text is not None and node is not None and not re.fullmatch("[A-Z]{3}", text):
            self._yaml.mistake(node, f"{what}: is {text!r}; write three capital letters, as USD")
        return text

    def _once(self, node: yaml.Node, thing: str, place: str) -> None:
        if thing in self._seen:
            line, first = self._seen[thing]
            where = "" if first == place else f" under {place}"
            there = "" if first == place else f" under {first}"
            self._yaml.mistake(node, f"{thing} stands here{where} and in line {line}{there}; keep one")
        self._seen[thing] = (node.start_mark.line + 1, place)

    def _each(
        self, node: yaml.Node | None, what: str, read: Callable[[yaml.Node], R | None]
    ) -> tuple[R, ...]:
        found = (read(item) for item in self._yaml.items(node, what))
        return tuple(record for record in found if record is not None)
