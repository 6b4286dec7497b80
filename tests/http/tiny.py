"""A small schema whose fields each fail in a way of their own, and the gateway that serves it."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import strawberry

from gateway.app import Parts
from gateway.errors import Invalid, SourceUnavailable, System
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.source import Contact, SourceKey
from gateway.fleet.unknown import Unknown, UnknownCode
from gateway.http.limits import Limits
from resolvers.context import Info, Note
from schema.build import executable

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
WEB = Path(__file__).parents[2] / "web"
LIMITS = Limits(
    max_body_bytes=10_000,
    body_seconds=0.3,
    max_tokens=500,
    max_depth=20,
    max_aliases=5,
    max_directives=5,
    cached_documents=10,
)
SILENT_SLURM = Unknown(
    code=UnknownCode.SOURCE_STALE,
    system=System.SLURM,
    place="island",
    reason="slurm/island/jobs is silent: connection refused",
    observed_at=NOON,
)


@strawberry.type
class Machine:
    name: str

    @strawberry.field
    def jobs(self, info: Info) -> int | None:
        info.context.notes.append(Note(tuple(info.path.as_list()), SILENT_SLURM))
        return None

    @strawberry.field
    def broken(self) -> str | None:
        raise RuntimeError("the secret")

    @strawberry.field
    def parent(self) -> "Machine":
        return Machine(name="rack")


@strawberry.type
class Query:
    @strawberry.field
    def hello(self, name: str = "world") -> str:
        return f"hello {name}"

    @strawberry.field
    def machines(self) -> list[Machine]:
        return [Machine(name="a"), Machine(name="b"), Machine(name="c")]

    @strawberry.field
    def broken(self) -> str | None:
        raise RuntimeError("the secret")

    @strawberry.field
    def needed(self) -> str:
        raise RuntimeError("the secret")

    @strawberry.field
    def invalid(self) -> str | None:
        raise Invalid("first must be at most 500")

    @strawberry.field
    async def past(self) -> str:
        await asyncio.sleep(0)
        return "remembered"

    @strawberry.field
    def unreachable(self) -> str | None:
        raise SourceUnavailable(System.PLATFORM, "the database does not answer")


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def change(self) -> bool:
        await asyncio.sleep(0)
        return True

    @strawberry.mutation
    async def count(self, info: Info, after: float = 0) -> int:
        """How many were counted before in the same request."""
        await asyncio.sleep(after)
        info.context.notes.append(Note((), SILENT_SLURM))
        return len(info.context.notes) - 1


SCHEMA = strawberry.Schema(Query, Mutation)
for kind, name in [("Query", "past"), ("Mutation", "change"), ("Mutation", "count")]:
    executable(SCHEMA).type_map[kind].fields[name].extensions["waits"] = True
executable(SCHEMA).type_map["Query"].fields["machines"].extensions["systems"] = {System.KUBERNETES}
executable(SCHEMA).type_map["Machine"].fields["jobs"].extensions["systems"] = {System.SLURM}
CONTACT = Contact(fresh_for=timedelta(seconds=30), stale_after=timedelta(minutes=5))
NODES = SourceKey(System.KUBERNETES, "fleet", "nodes")
JOBS = SourceKey(System.SLURM, "island", "jobs")


class Fleets:
    """A keeper whose clock stands until it is set."""

    def __init__(self) -> None:
        self.now = NOON
        self.keeper = FleetKeeper(["fleet"], {"island": "fleet"}, lambda: self.now)

    def parts(self, web: Path = WEB) -> Parts:
        return Parts(schema=SCHEMA, pin=self.keeper.pin, limits=LIMITS, web=web)
