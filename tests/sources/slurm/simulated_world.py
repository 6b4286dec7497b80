"""The Slurm of tests/servers/slurm_conf.py, simulated: jobs and drains change what slurmrestd answers."""

import json
from typing import Any

from gateway.simulator.slurm_failures import LAST_OF_22_05, SlurmFault, meta
from gateway.simulator.slurmrestd import Slurmrestd
from gateway.sources.slurm.access import SlurmAccess
from tests.contracts.slurm_source import SLURM
from tests.servers.slurm_conf import NODES, PaperNode

PARTITIONS = {"gpu-h100-01": "train", "gpu-h100-02": "train", "gpu-a100-01": "train", "gpu-t4-01": "infer"}
AT = 1_795_970_495
USER, CREDENTIAL = "ada", "simulated"


class SimulatedWorld:
    """What a slurmrestd of one version says of it."""

    def __init__(self, version: int) -> None:
        self.slurmrestd = Slurmrestd(self, user=USER, token=CREDENTIAL)
        self._version = version
        self._jobs: dict[int, dict[str, Any]] = {}
        self._drained: dict[str, str] = {}
        self.url = "http://not-served-yet"

    @property
    def access(self) -> SlurmAccess:
        """What the gateway needs to ask it."""
        return SlurmAccess(name=SLURM, cluster="fleet", url=self.url, user=USER, token=CREDENTIAL)

    def serves(self, version: str) -> bool:
        return version == f"v0.0.{self._version}"

    def answer(self, version: str, what: str) -> bytes | None:
        entries = {"nodes": map(self._node, NODES), "jobs": map(self._written, self._jobs.values())}
        if what not in entries:
            return None
        return json.dumps({what: [*entries[what]], "errors": [], "meta": meta(version)}).encode()

    async def submit(self, gres: str, partition: str, nodes: int) -> int:
        name, kind, count = gres.split(":")
        hosts = [node.name for node in NODES if node.gpu == kind][:nodes]
        number = len(self._jobs) + 1
        self._jobs[number] = {
            "job_id": number,
            "name": "wrap",
            "job_state": ["RUNNING"],
            "state_reason": "None",
            "user_name": USER,
            "partition": partition,
            "nodes": ",".join(hosts),
            "node_count": nodes,
            "tasks": nodes,
            "submit_time": AT,
            "start_time": AT,
            "gres_detail": [f"{gres}(IDX:0-{int(count) - 1})"] * nodes,
            "tres_per_node": f"gres/{name}:{kind}:{count}",
        }
        return number

    async def cancel(self, job: int) -> None:
        self._jobs[job] |= {"job_state": ["CANCELLED"], "gres_detail": []}

    async def drain(self, node: str, reason: str) -> None:
        self._drained[node] = reason

    async def undrain(self, node: str) -> None:
        del self._drained[node]

    async def stop_controller(self) -> None:
        self.slurmrestd.fault = SlurmFault.CONTROLLER_STOPPED

    async def pause_controller(self) -> None:
        self.slurmrestd.fault = SlurmFault.CONTROLLER_HUNG

    async def bring_controller_back(self) -> None:
        self.slurmrestd.fault = None

    def _node(self, node: PaperNode) -> dict[str, Any]:
        used = sum(
            int(detail.split(":")[2].split("(")[0])
            for job in self._jobs.values()
            for host, detail in zip(job["nodes"].split(","), job["gres_detail"], strict=False)
            if host == node.name
        )
        base = ("MIXED" if used else "IDLE") if node.runs else "UNKNOWN"
        flags = ["DRAIN"] if node.name in self._drained else []
        reason = self._drained.get(node.name, "")
        told = {
            "name": node.name,
            "partitions": [*filter(None, [PARTITIONS.get(node.name)]), "all"],
            "gres": f"gpu:{node.gpu}:{node.gpus}" if node.gpu else "",
            "gres_used": f"gpu:{node.gpu}:{used}(IDX:N/A)" if node.gpu else "gpu:0",
            "reason": reason,
            "reason_set_by_user": USER if reason else None,
        }
        if self._is_old:
            return told | {"state": base.lower(), "state_flags": flags}
        return told | {"state": [base, *flags], "reason_set_by_user": told["reason_set_by_user"] or ""}

    def _written(self, job: dict[str, Any]) -> dict[str, Any]:
        """A job as its version writes it."""
        empty = dict.fromkeys(
            (
                "state_description",
                "tres_alloc_str",
                "tres_req_str",
                "tres_per_job",
                "tres_per_socket",
                "tres_per_task",
            ),
            "",
        )
        if self._is_old:
            (state,) = job["job_state"]
            return empty | job | {"job_state": state, "tres_per_node": job["tres_per_node"].replace("/", ":")}
        counts = ("node_count", "tasks", "submit_time", "start_time")
        numbers = {name: {"set": True, "infinite": False, "number": job[name]} for name in counts}
        return empty | job | numbers

    @property
    def _is_old(self) -> bool:
        return self._version <= LAST_OF_22_05
