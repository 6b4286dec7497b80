"""Rows that tell of the GPUs of other objects than themselves, and which machines they tell of."""

from collections.abc import Hashable, Iterator, Mapping

from gateway.errors import System
from gateway.fleet.evidence import NOTHING_BESIDE, Evidence
from gateway.fleet.layouts import LayoutFile
from gateway.fleet.node import KubernetesNode
from gateway.fleet.sharing import single_mig_profile
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Maybe, Unknown

_LAYOUTS = "migconfigs"


class Witnesses:
    """Keeps what tells of many machines, by change; it reads the rows that others keep."""

    def __init__(
        self, rows: Mapping[SourceKey, Mapping[Hashable, object]], silences: Mapping[SourceKey, Unknown]
    ) -> None:
        self._rows = rows
        self._silences = silences

    def reached(self, key: SourceKey) -> set[tuple[str, str]]:
        """Which machines a listing as a whole tells of, where it is none of their own."""
        if key.system is System.KUBERNETES and key.kind == _LAYOUTS:
            return {(key.place, node.name) for node in self._nodes(key.place) if _is_cut_alike(node)}
        return set()

    def of(self, node: Maybe[KubernetesNode]) -> Evidence:
        """What is told of the GPUs of a machine beside its own object."""
        if not isinstance(node, KubernetesNode) or not _is_cut_alike(node):
            return NOTHING_BESIDE
        return Evidence(layouts=self._layouts(node.cluster))

    def _layouts(self, cluster: str) -> tuple[LayoutFile, ...] | Unknown:
        key = SourceKey(System.KUBERNETES, cluster, _LAYOUTS)
        rows = self._rows.get(key, {}).values()
        return self._silences.get(key) or tuple(row for row in rows if isinstance(row, LayoutFile))

    def _nodes(self, cluster: str) -> Iterator[KubernetesNode]:
        rows = self._rows.get(SourceKey(System.KUBERNETES, cluster, "nodes"), {})
        return (row for row in rows.values() if isinstance(row, KubernetesNode))


def _is_cut_alike(node: KubernetesNode) -> bool:
    return single_mig_profile(node.gpu_labels) is not None
