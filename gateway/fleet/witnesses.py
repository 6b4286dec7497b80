"""Rows that tell of the GPUs of other objects than themselves, and which machines they tell of."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping

from gateway.errors import System
from gateway.fleet.beside import NOTHING_BESIDE, Beside
from gateway.fleet.device_rows import CLAIMS, SLICES, DeviceRows, Machine
from gateway.fleet.gpu import MigStrategy
from gateway.fleet.layouts import LayoutFile
from gateway.fleet.leftover import discovers, is_labelled
from gateway.fleet.node import KubernetesNode
from gateway.fleet.pod import Pod
from gateway.fleet.sharing import single_mig_profile
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Maybe, Unknown

Rows = Mapping[Hashable, object]
_LAYOUTS = "migconfigs"


class Witnesses:
    """Keeps what tells of many machines, by change; it reads the rows that others keep."""

    def __init__(
        self, rows: Mapping[SourceKey, Mapping[Hashable, object]], silences: Mapping[SourceKey, Unknown]
    ) -> None:
        self._rows = rows
        self._silences = silences
        self._discovery: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Where gpu-feature-discovery runs, by cluster."""
        self._devices = DeviceRows()

    def told(self, key: SourceKey, before: Rows, after: Rows) -> set[Machine]:
        """Take in what changed of a listing; of which machines something else is told now."""
        if key.system is System.KUBERNETES and key.kind == "pods":
            return self._discovered(key.place, before, after)
        if key.system is System.KUBERNETES and key.kind in {SLICES, CLAIMS}:
            return self._devices.changed(key, after)
        return self.reached(key)

    def reached(self, key: SourceKey) -> set[Machine]:
        """Which machines a listing as a whole tells of, where it is none of their own."""
        if key.system is System.KUBERNETES and key.kind == _LAYOUTS:
            return {(key.place, node.name) for node in self._nodes(key.place) if _may_be_cut(node)}
        if key.system is System.KUBERNETES and key.kind in {SLICES, CLAIMS}:
            return self._devices.machines(key.place)
        return set()

    def of(self, node: Maybe[KubernetesNode]) -> Beside:
        """What is told of the GPUs of a machine beside its own object."""
        if not isinstance(node, KubernetesNode):
            return NOTHING_BESIDE
        left, cut = self._labels_are_left(node), _may_be_cut(node)
        slices = self._devices.slices((node.cluster, node.name))
        if not (left or cut or slices):
            return NOTHING_BESIDE
        return Beside(
            layouts=self._layouts(node.cluster) if cut else (),
            labels_left=left,
            slices=(self._silence(node, SLICES) or slices) if slices else (),
            claims=(self._silence(node, CLAIMS) or self._devices.claims(slices)) if slices else (),
        )

    def _silence(self, node: KubernetesNode, kind: str) -> Unknown | None:
        return self._silences.get(SourceKey(System.KUBERNETES, node.cluster, kind))

    def _labels_are_left(self, node: KubernetesNode) -> bool:
        if self._silence(node, "pods"):
            return False
        runs_on = self._discovery[node.cluster]
        return bool(runs_on) and node.name not in runs_on and is_labelled(node)

    def _discovered(self, cluster: str, before: Rows, after: Rows) -> set[Machine]:
        """Count where it runs now; whether it runs anywhere is for all nodes to know."""
        runs_on = self._discovery[cluster]
        ran = bool(runs_on)
        for rows, by in ((before, -1), (after, 1)):
            for pod in rows.values():
                if isinstance(pod, Pod) and pod.node_name and discovers(pod):
                    runs_on[pod.node_name] += by
                    if not runs_on[pod.node_name]:
                        del runs_on[pod.node_name]
        if ran is bool(runs_on):
            return set()
        return {(cluster, node.name) for node in self._nodes(cluster) if is_labelled(node)}

    def _layouts(self, cluster: str) -> tuple[LayoutFile, ...] | Unknown:
        key = SourceKey(System.KUBERNETES, cluster, _LAYOUTS)
        rows = self._rows.get(key, {}).values()
        return self._silences.get(key) or tuple(row for row in rows if isinstance(row, LayoutFile))

    def _nodes(self, cluster: str) -> Iterator[KubernetesNode]:
        rows = self._rows.get(SourceKey(System.KUBERNETES, cluster, "nodes"), {})
        return (row for row in rows.values() if isinstance(row, KubernetesNode))


def _may_be_cut(node: KubernetesNode) -> bool:
    """Whether layouts tell of it: of the cards that were cut, or of how they could be."""
    labels = node.gpu_labels
    return single_mig_profile(labels) is not None or labels.mig_strategy in {
        MigStrategy.SINGLE,
        MigStrategy.MIXED,
    }
