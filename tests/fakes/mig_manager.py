"""A MIG manager and a device plugin on one node of a cluster in memory (mig-parted bd7160f)."""

from collections.abc import Mapping

from gateway.fleet.live import MIG_CONFIG, MIG_STATE
from tests.fakes.hands import FakeHands

MANAGER, PLUGIN = "nvidia-mig-manager", "nvidia-device-plugin-daemonset"


class FakeMigManager:
    """Applies what the label names, passes over a value that it knows, and says what it does."""

    def __init__(self, hands: FakeHands, node: str, offers: Mapping[str, Mapping[str, int]]) -> None:
        self._hands, self._node, self._offers = hands, node, offers
        self.says: list[str] = ["pending", "success"]
        """One after the other, ten seconds apart, of each change."""
        self.cuts = True
        """Whether the slices are there when it says success."""
        self.restarts_plugin = True
        self._uid = hands.bind(MANAGER, node, app=MANAGER).uid
        hands.bind(PLUGIN, node, app=PLUGIN)
        self._seen = self._label
        hands.time.later(1, self._look)

    @property
    def _label(self) -> str | None:
        return self._hands.nodes[self._node].labels.get(MIG_CONFIG)

    def _look(self) -> None:
        """See whether the label changed, or this is another pod, which knows of nothing."""
        if self._node in self._hands.nodes:
            is_new = self._is_new()
            label, seen = self._label, self._seen
            if label is not None and (is_new or label != seen):
                self._seen = label
                self._change(label)
            self._hands.time.later(1, self._look)

    def _is_new(self) -> bool:
        before = self._uid
        self._uid = next(iter(self._pods(MANAGER)), before)
        return before != self._uid

    def _pods(self, app: str) -> list[str]:
        hands = self._hands
        return [
            uid
            for uid, of in hands.apps.items()
            if of == app and uid in hands.bound and hands.homes[uid] == self._node
        ]

    def _change(self, label: str) -> None:
        says = ["failed"] if label not in self._offers else self.says
        for at, word in enumerate(says):
            self._hands.time.later(2 + 10 * at, lambda word=word: self._say(word, label))

    def _say(self, word: str, label: str) -> None:
        node = self._hands.nodes.get(self._node)
        if node is None or node.labels.get(MIG_CONFIG) != label:
            return
        if word == "rebooting":
            node.boot_id += "x"
        if word == "success":
            self._serve(label)
        node.labels[MIG_STATE], node.version = word, node.version + 1

    def _serve(self, label: str) -> None:
        if self.cuts:
            self._hands.nodes[self._node].allocatable = dict(self._offers[label])
        if self.restarts_plugin:
            for uid in self._pods(PLUGIN):
                self._hands.end(uid)
            self._hands.bind(PLUGIN, self._node, app=PLUGIN)
