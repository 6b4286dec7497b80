"""The demo's fleet on a real PostgreSQL, and a client that changes it over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import aiohttp

from gateway.app import create_app
from gateway.assembly import assemble
from gateway.background import alongside
from gateway.cli.first_word import heard_from_all
from gateway.cli.production import parts
from gateway.cli.stage import Stage, staged
from gateway.control import assemble_controllers, run_all
from gateway.controllers.node_reconciler.reconciler import Sleep
from gateway.fleet.clock import utc_now
from gateway.simulator.listener import Listener
from gateway.simulator.scenario.demo import demo_fleet

CHANGED = """changes { field before after } dryRun problem {
  __typename code message path retryable
  ... on GenerationConflict { currentGeneration }
  ... on WorkloadsRunning { unacknowledged { id name } hidden }
  ... on InvalidMigLayout { card validProfiles { name } }
  ... on ExceedsCapacity { balance { gpuType { name } healthy allocated } }
}"""
_SUBJECTS = {
    "setAllocation": "allocation { cards generation } generation",
    "setPrice": "gpuType { prices { amount currency effectiveFrom } }",
    "setPause": "controller { paused pausedBy reason }",
}
_OF_NODE = """generation node {
  target tenant { name }
  desired { cordoned cordonReason generation changedBy migLayout { config } }
}"""


class Client:
    """Asks one gateway over HTTP, as a program would."""

    def __init__(self, session: aiohttp.ClientSession, stage: Stage) -> None:
        self._session = session
        self.dsn = stage.dsn
        (self.cluster,) = stage.settings.clusters

    async def ask(self, query: str, operation: str | None = None, **variables: object) -> Any:
        """The whole answer."""
        body = {"query": query, "operationName": operation, "variables": variables}
        async with self._session.post("/graphql", json=body) as answer:
            return await answer.json(content_type=None)

    async def status_of_get(self, query: str) -> int:
        """How a GET is answered."""
        async with self._session.get("/graphql", params={"query": query}) as answer:
            return answer.status

    async def data(self, query: str, operation: str | None = None, **variables: object) -> Any:
        """The data of an answer without errors."""
        answer = await self.ask(query, operation, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    async def until(self, query: str, holds: Callable[[Any], object], within: float = 20) -> Any:
        """The data once this holds, asking again meanwhile."""
        async with asyncio.timeout(within):
            while not holds(data := await self.data(query)):  # noqa: ASYNC110  a server sets no event
                await asyncio.sleep(0.05)
        return data

    async def change(self, mutation: str, **asked: object) -> Any:
        """What a mutation answers to this input."""
        shown = f"{_SUBJECTS.get(mutation, _OF_NODE)} {CHANGED}"
        kind = mutation[0].upper() + mutation[1:]
        query = f"mutation ($input: {kind}Input!) {{ {mutation}(input: $input) {{ {shown} }} }}"
        return (await self.data(query, input=asked))[mutation]


@asynccontextmanager
async def serving_the_demo(sleep: Sleep | None = None) -> AsyncIterator[Client]:
    """A gateway of its own, which has read everything once; with a sleep the controllers run too."""
    async with staged(demo_fleet(utc_now), database=True) as stage:
        assembly = assemble(stage.settings, stage.clock)
        controllers = assemble_controllers(stage.settings, assembly.keeper, sleep) if sleep else ()
        async with (
            assembly.reading(),
            alongside(run_all(controllers)) if controllers else nullcontext(),
            Listener(create_app(parts(stage.settings, assembly))) as listener,
            aiohttp.ClientSession(
                listener.url, headers={"Accept": "application/graphql-response+json"}
            ) as session,
        ):
            await heard_from_all(assembly.keeper.pin)
            yield Client(session, stage)


def node(name: str) -> dict[str, str]:
    """A machine of the demo's cluster, as inputs name it."""
    return {"cluster": "fleet", "name": name}
