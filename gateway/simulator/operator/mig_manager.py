"""A MIG manager and a device plugin on one node: the labels they write, and the order they write them in.

They follow mig-parted bd7160f. A step is what they do between two of our looks at them.
"""

import enum
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from gateway.simulator.operator.cut import SLICE, Cut, Layouts
from gateway.simulator.operator.port import DEPLOY, MANAGER, PAUSED, PLUGIN, ClusterPort, Json

CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
_PAUSABLE = tuple(
    DEPLOY + operand
    for operand in ("device-plugin", "gpu-feature-discovery", "dcgm-exporter", "dcgm", "nvsm")
)
_ENDED = {"Succeeded", "Failed"}
_WRITER = "nvidia-mig-manager"


class MigFault(enum.Enum):
    """What a MIG manager does instead of its work."""

    DEAF = "sees no label"
    FAILS = "says failed; the cards stay as they were"
    STAYS_PENDING = "says pending and no more; the device plugin stays away"
    REBOOTS = "says rebooting, and the node comes up again, cut as asked"
    STAYS_REBOOTING = "says rebooting and no more"
    CUTS_NOTHING = "says success; the cards stay as they were"


class MigManager:
    """One node's MIG manager and device plugin, which go on by one step whenever they are told to."""

    def __init__(
        self,
        port: ClusterPort,
        node: str,
        layouts: Callable[[], Layouts],
        cut: Cut,
        *,
        fault: MigFault | None = None,
    ) -> None:
        """Take what can be asked for, read anew for each change, and how the cards are cut now.

        A node that shows a state has had a manager that wrote it: this is taken to be the same one.
        """
        self.fault = fault
        self.cut = cut
        """How the cards are cut; the plugin advertises it once it is started again."""
        self._port = port
        self._node = node
        self._layouts = layouts
        self._seen: str | None = None
        self._pod: object = _UNSEEN
        self._plugin: object = _UNSEEN
        self._change: AsyncIterator[None] | None = None

    async def step(self) -> None:
        """Look at the label, go on with the change that is under way, and serve what the cards offer."""
        node = await self._port.node(self._node)
        if node is None:
            return
        pods = await self._port.pods(self._node)
        await self._manage(node, _uid_of(pods, MANAGER))
        await self._serve(node, _uid_of(pods, PLUGIN))

    async def _manage(self, node: Json, pod: str | None) -> None:
        if self._pod is _UNSEEN and STATE in _labels(node):
            self._pod, self._seen = pod, _labels(node).get(CONFIG)
        if pod != self._pod:  # another process, which knows nothing of what the last one did
            self._pod, self._seen, self._change = pod, None, None
        if pod is None or self.fault is MigFault.DEAF:
            return
        config = _labels(node).get(CONFIG)
        if self._change is None and config is not None and config != self._seen:
            self._seen, self._change = config, self._applied(config, node)
        if self._change is not None and await anext(self._change, _DONE) is _DONE:
            self._change = None

    async def _applied(self, config: str, node: Json) -> AsyncIterator[None]:
        cut = self._layouts().get(config)
        if cut is None:
            await self._say("failed")
        elif cut.resources == self.cut.resources:
            await self._say("success")
        else:
            await self._say("pending")
            yield
            await self._deploy(_PAUSE)
            yield
            if self.fault is MigFault.STAYS_PENDING:
                return
            await self._reboot(node)
            if self.fault is MigFault.STAYS_REBOOTING:
                return
            yield
            done = await self._cut(cut)
            await self._deploy(_RESUME)
            yield
            await self._say("success" if done else "failed")

    async def _cut(self, cut: Cut) -> bool:
        """Cut the cards; not while somebody holds one of them."""
        held = any(_holds_card(pod) for pod in await self._port.pods(self._node))
        if held or self.fault is MigFault.FAILS:
            return False
        if self.fault is not MigFault.CUTS_NOTHING:
            self.cut = cut
        return True

    async def _reboot(self, node: Json) -> None:
        if self.fault in {MigFault.REBOOTS, MigFault.STAYS_REBOOTING}:
            await self._say("rebooting")
        if self.fault is MigFault.REBOOTS:
            booted = {"nodeInfo": {"bootID": f"after-{node['status']['nodeInfo']['bootID']}"}}
            await self._port.patch_node(self._node, {"status": booted}, manager="kubelet", status=True)

    async def _say(self, state: str) -> None:
        await self._label({STATE: state})

    async def _deploy(self, words: Mapping[str, str]) -> None:
        """Pause what uses the cards, or let it come again; what was switched off stays so."""
        node = await self._port.node(self._node)
        deployed = {name: _labels(node).get(name, "") for name in _PAUSABLE}
        await self._label({name: words[value] for name, value in deployed.items() if value in words})

    async def _label(self, labels: Mapping[str, str | None]) -> None:
        patch = {"metadata": {"labels": labels}}
        await self._port.patch_node(self._node, patch, manager=_WRITER, status=False)

    async def _serve(self, node: Json, plugin: str | None) -> None:
        """Advertise what the cards offer when the plugin starts; nothing is to be had without it."""
        before, self._plugin = self._plugin, plugin
        if before is _UNSEEN or before == plugin:
            return
        await self._advertise(node, self.cut.resources if plugin else {})
        if plugin:
            gone = dict.fromkeys(name for name in _labels(node) if name.startswith(SLICE))
            await self._label({**gone, **self.cut.labels})

    async def _advertise(self, node: Json, offered: Mapping[str, int]) -> None:
        """Write what a kubelet does: what it knew once stays, as 0."""
        status = node["status"]
        known = [name for name in status.get("capacity") or {} if name.startswith("nvidia.com/")]
        amounts = {name: str(offered.get(name, 0)) for name in {*known, *offered}}
        patch = {"status": {"capacity": amounts, "allocatable": amounts}}
        await self._port.patch_node(self._node, patch, manager="kubelet", status=True)


_DONE, _UNSEEN = object(), object()
_PAUSE = {"true": PAUSED}
_RESUME = {PAUSED: "true"}


def _labels(node: Json) -> Mapping[str, str]:
    return (node or {"metadata": {}})["metadata"].get("labels") or {}


def _uid_of(pods: Sequence[Json], app: str) -> str | None:
    """The uid of the node's pod of that app, as long as it is not on its way out."""
    running = (pod["metadata"] for pod in pods if (pod["metadata"].get("labels") or {}).get("app") == app)
    return next((it["uid"] for it in running if not it.get("deletionTimestamp")), None)


def _holds_card(pod: Json) -> bool:
    if (pod.get("status") or {}).get("phase") in _ENDED:
        return False
    asked = [container.get("resources") or {} for container in pod["spec"]["containers"]]
    limits = [name for resources in asked for name in (resources.get("limits") or {})]
    return any(name.startswith("nvidia.com/") for name in limits)
