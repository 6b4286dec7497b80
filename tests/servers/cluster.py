"""A real cluster on loopback, but for its machines: kwok says what their kubelets would."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tests.servers.audit import audit_flags
from tests.servers.control_plane import ControlPlane, Refusal
from tests.servers.process import Process

_STAGES = ("node-initialize", "node-heartbeat-with-lease", "pod-ready", "pod-delete")
"""What kwok does by itself: nodes become and stay Ready, pods run until they are deleted. None ends."""
_LEFT_OUT = ("cloud-node-lifecycle", "nodeipam", "route", "service")
"""Controllers that want a cloud or a network."""


class NotSo(Exception):
    """What was waited for did not come; the message has what was there last."""


class Cluster(ControlPlane):
    """A control plane whose objects live: they are scheduled, run, counted and taken away."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.audit_log = folder / "audit.jsonl"
        super().__init__(programs, folder, audit_flags(folder, self.audit_log))
        self.controller_manager = Process(
            "kube-controller-manager",
            [programs / "kube-controller-manager", *_controller_flags(folder, self.kubeconfig)],
            folder=folder,
        )
        self.scheduler = Process(
            "kube-scheduler",
            [programs / "kube-scheduler", f"--config={folder / 'scheduler.json'}", "--secure-port=0"],
            folder=folder,
        )
        self.kubelets = Process(
            "kwok", [programs / "kwok", *_kwok_flags(programs / "stages", self.kubeconfig)], folder=folder
        )

    async def start(self) -> None:
        """Start all programs and wait until the controllers work."""
        await super().start()
        (self._folder / "scheduler.json").write_text(json.dumps(scheduler_config(self.kubeconfig)))
        for process in self._living:
            process.start()
        await self.controller_manager.ready(self._has_service_accounts, within=60)

    async def stop(self) -> None:
        """End all, the API server after those that ask it."""
        for process in self._living:
            process.kill()
        await super().stop()

    async def until(
        self, path: str, is_so: Callable[[dict[str, Any]], bool], *, within: float = 30
    ) -> dict[str, Any]:
        """The object at the path once it is there and is so."""
        return await self._polled(path, lambda found: not isinstance(found, Refusal) and is_so(found), within)

    async def until_gone(self, path: str, *, within: float = 30) -> None:
        """Return once there is nothing at the path."""
        await self._polled(
            path, lambda found: isinstance(found, Refusal) and "NotFound" in str(found), within
        )

    async def _polled(self, path: str, is_so: Callable[[Any], bool], within: float) -> Any:
        found: object = None
        try:
            async with asyncio.timeout(within):
                while not is_so(found := await self._at(path)):  # noqa: ASYNC110  the server sets no event
                    await asyncio.sleep(0.1)
        except TimeoutError:
            logs = "\n".join(process.log_tail(5) for process in self._living)
            raise NotSo(f"{path} after {within:.0f} s: {found}\n{logs}") from None
        return found

    async def _at(self, path: str) -> dict[str, Any] | Refusal:
        try:
            return await self.request("GET", path)
        except Refusal as refusal:
            return refusal

    @property
    def _living(self) -> Sequence[Process]:
        return self.controller_manager, self.scheduler, self.kubelets

    async def _has_service_accounts(self) -> bool:
        with suppress(Refusal):
            return bool(await self.request("GET", "/api/v1/namespaces/default/serviceaccounts/default"))
        return False


@asynccontextmanager
async def running_cluster(programs: Path, folder: Path) -> AsyncIterator[Cluster]:
    """A cluster that is ready, and is gone afterwards; its logs stay in the folder."""
    cluster = Cluster(programs, folder)
    try:
        await cluster.start()
        yield cluster
    finally:
        await cluster.stop()


def _controller_flags(folder: Path, kubeconfig: Path) -> list[str]:
    controllers = ",".join(("*", *(f"-{name}" for name in _LEFT_OUT)))
    return [
        f"--kubeconfig={kubeconfig}",
        f"--service-account-private-key-file={folder / 'apiserver.key'}",
        f"--controllers={controllers}",
        "--leader-elect=false",
        "--secure-port=0",
    ]


def scheduler_config(kubeconfig: Path) -> dict[str, object]:
    """The default configuration of kube-scheduler, for one that runs alone."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(kubeconfig)},
        "leaderElection": {"leaderElect": False},
    }


def _kwok_flags(stages: Path, kubeconfig: Path) -> list[str]:
    return [
        f"--kubeconfig={kubeconfig}",
        "--manage-all-nodes=true",
        "--node-lease-duration-seconds=40",
        *(f"--config={stages / stage}.yaml" for stage in _STAGES),
    ]
