"""What is asked of a Slurm, and when an answer is believed: an empty list may be a hidden one."""

from gateway.errors import SourceMisread, SourceRefused, System
from gateway.fleet.clock import Clock
from gateway.sources.slurm.nodes import read_node
from gateway.sources.slurm.polled import Polled
from gateway.sources.slurm.versions import Slurmrestd

AT_WORK = frozenset({"ALLOCATED", "MIXED"})
"""States of a node that cannot be without a job."""


class Questions:
    """Puts a Slurm's questions; what is not to be believed is a SourceError."""

    def __init__(self, slurm: str, clock: Clock) -> None:
        self._slurm = slurm
        self._clock = clock

    async def nodes(self, slurmrestd: Slurmrestd) -> Polled:
        """Every node."""
        version, found = await slurmrestd.list("nodes")
        if not found:
            raise SourceMisread(
                System.SLURM,
                f"Slurm {self._slurm} lists no nodes, and there is no Slurm without: "
                "PrivateData may hide them from the token's user",
            )
        return Polled(version, found, self._clock())

    async def jobs(self, slurmrestd: Slurmrestd) -> Polled:
        """Every job; none is believed only where no node is at work."""
        version, found = await slurmrestd.list("jobs")
        if not found and (busy := await self._node_at_work(slurmrestd)):
            # The job may have come between the two answers; later Slurm remembers it for MinJobAge.
            version, found = await slurmrestd.list("jobs")
            if not found:
                raise SourceRefused(
                    System.SLURM,
                    f"Slurm {self._slurm} lists no jobs, and node {busy} is at work: PrivateData hides "
                    "jobs from the token's user: give the token of an operator",
                )
        return Polled(version, found, self._clock())

    async def _node_at_work(self, slurmrestd: Slurmrestd) -> str | None:
        version, found, _ = await self.nodes(slurmrestd)
        records = (read_node(text, version, self._slurm, at).record for at, text in enumerate(found))
        return next((node.name for node in records if node and not AT_WORK.isdisjoint(node.states)), None)
