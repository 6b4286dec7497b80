"""Tries once whether a Slurm can be read: reach, versions, token, nodes, jobs, and what PrivateData hides."""

import asyncio
from collections.abc import AsyncGenerator, Iterable

from gateway.errors import SourceError
from gateway.fleet.clock import Clock
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.answers import is_served, read_list
from gateway.sources.slurm.api import SlurmApi
from gateway.sources.slurm.jobs import read_job
from gateway.sources.slurm.nodes import read_node
from gateway.sources.slurm.questions import AT_WORK, Questions
from gateway.sources.slurm.versions import ORDER, Slurmrestd
from gateway.sources.trial import Outcome, Trial, failed, fine

_OPERATOR = "give the token of a user whose AdminLevel is Operator, or take jobs out of PrivateData"


async def probe(access: SlurmAccess, clock: Clock) -> AsyncGenerator[Trial, None]:
    """Ask which versions are served, then for nodes and jobs."""
    async with SlurmApi(access) as api:
        questions, slurmrestd, what = Questions(access.name, clock), Slurmrestd(api), "reach"
        try:
            if served := await _served(api):
                yield _versions(served)
                what = "nodes"
            version, texts, _ = await questions.nodes(slurmrestd)
            nodes = [read_node(text, version, access.name, at).record for at, text in enumerate(texts)]
            yield fine("nodes", f"{len(nodes)}, in v0.0.{version}; the token is good")
            what = "jobs"
            version, texts, _ = await questions.jobs(slurmrestd)
            jobs = [read_job(text, version, access.name, at).record for at, text in enumerate(texts)]
            yield _jobs(filter(None, nodes), list(filter(None, jobs)))
        except SourceError as error:
            yield failed(what, error)


async def _served(api: SlurmApi) -> list[int]:
    """The versions that answer a ping, the one that would be spoken first."""
    pings = await asyncio.gather(*(api.get(f"/slurm/v0.0.{version}/ping") for version in ORDER))
    served = {version: ping for version, ping in zip(ORDER, pings, strict=True) if is_served(ping)}
    for ping in served.values():
        read_list(ping, "pings")  # who is not let in is told so under every version
    return list(served)


def _versions(served: list[int]) -> Trial:
    named = ", ".join(f"v0.0.{version}" for version in sorted(served))
    return fine("reach", f"serves {named}; v0.0.{served[0]} is spoken")


def _jobs(nodes: Iterable[SlurmNode], jobs: list[SlurmJob]) -> Trial:
    """A node that is at work without a job is the trace of one that is hidden."""
    held = {name for job in jobs if job.holds_nodes for name in job.node_names}
    unexplained = [
        node.name for node in nodes if not AT_WORK.isdisjoint(node.states) and node.name not in held
    ]
    if not unexplained:
        return fine("jobs", str(len(jobs)))
    said = (
        f"{len(jobs)}, and none of them holds {unexplained[0]}, which is at work: PrivateData may hide jobs"
    )
    return Trial(what="jobs", outcome=Outcome.WARNING, said=said, fix=_OPERATOR)
