"""What keeps the demo's cluster going beside its schedulers: operands, kubelets, controllers."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from gateway.simulator.kinds import Resource
from gateway.simulator.operator.cut import Layouts
from gateway.simulator.operator.kubelet import Kubelet
from gateway.simulator.operator.mig_manager import MigFault, MigManager
from gateway.simulator.operator.operands import Operands
from gateway.simulator.operator.port import ClusterPort
from gateway.simulator.scenario.hardware import Machine
from gateway.simulator.scenario.inventory import MACHINES
from gateway.simulator.scenario.mig_layouts import CONFIG_MAP, KEY, NAMESPACE, layouts, shown
from gateway.simulator.scenario.site import Site

_CONFIG_MAPS = Resource(api_version="v1", kind="ConfigMap")
_PAUSE_SECONDS = 1.0
_CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


class Operations:
    """The steps of everything that reacts to what is written on nodes."""

    def __init__(self, site: Site, port: ClusterPort, clock: Callable[[], datetime]) -> None:
        self._site = site
        self._port = port
        self._clock = clock
        cut = [machine for machine in MACHINES if machine.mig]
        self._parts: list[Kubelet | Operands | MigManager] = [
            *(Kubelet(port, machine.name) for machine in MACHINES),
            *(Operands(port, machine.name) for machine in cut),
            *(self._manager(machine) for machine in cut),
        ]

    async def go_on(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Step after step, until cancelled."""
        while True:
            await sleep(_PAUSE_SECONDS)
            await self.step()

    async def step(self) -> None:
        """Taint what is cordoned, do the operator's work on each machine, and place what was evicted."""
        for machine in MACHINES:
            await self._taint(machine.name)
        for part in self._parts:
            await part.step()
        self._site.replace_evicted()

    def _manager(self, machine: Machine) -> MigManager:
        stuck = MigFault.STAYS_PENDING if machine.changing else None
        cut = shown(machine, self._clock())
        return MigManager(self._port, machine.name, lambda: self._layouts(machine), cut, fault=stuck)

    def _layouts(self, machine: Machine) -> Layouts:
        """What the ConfigMap knows by now; nothing where somebody took it away."""
        found = self._site.stored(_CONFIG_MAPS, f"{NAMESPACE}/{CONFIG_MAP}")
        return layouts(found["data"][KEY], machine, self._clock()) if found else {}

    async def _taint(self, name: str) -> None:
        """Keep the taint of a cordon, as the node lifecycle controller does."""
        node = await self._port.node(name)
        if node is None:
            return
        spec = node["spec"]
        taints = [taint for taint in spec.get("taints") or () if taint["key"] != _CORDONED["key"]]
        wanted = [*taints, _CORDONED] if spec.get("unschedulable") else taints
        if len(wanted) != len(spec.get("taints") or ()):
            patch = {"spec": {"taints": wanted or None}}
            await self._port.patch_node(name, patch, manager="kube-controller-manager", status=False)
