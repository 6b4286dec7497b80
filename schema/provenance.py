"""Where a value comes from: one system's address, or one named rule; and who alone may write it."""

from collections.abc import Iterable

import strawberry
from strawberry.schema_directive import Location

from gateway.errors import System
from gateway.fleet.history import Writer

MACHINES = (System.KUBERNETES, System.PLATFORM, System.SLURM)
"""The systems that know machines."""
EVERY = tuple(System)


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    name="source",
    description="The one place a field's value is read: a system, and the address of the value there.",
)
class Source:
    """The one place a field's value is read."""

    system: System
    path: str


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    name="derived",
    description="Computed by the gateway: from which systems, by which rule of docs/accounting.md.",
)
class Derived:
    """Computed by the gateway."""

    systems: list[System] = strawberry.directive_field(name="from")
    rule: str


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    name="ownedBy",
    description="The only writer that may change this field; enforced by the database, not by convention.",
)
class OwnedBy:
    """The only writer that may change this field."""

    writer: Writer


def kubernetes(path: str) -> Source:
    """Read from a Kubernetes object, or from its API."""
    return Source(system=System.KUBERNETES, path=path)


def platform(path: str) -> Source:
    """Read from the platform's database: table.column."""
    return Source(system=System.PLATFORM, path=path)


def queues(path: str) -> Source:
    """Read from a Volcano object."""
    return Source(system=System.QUEUES, path=path)


def slurm(path: str) -> Source:
    """Read from an answer of slurmrestd."""
    return Source(system=System.SLURM, path=path)


def derived(rule: str, *systems: System) -> Derived:
    """Computed by a rule from what these systems say; from none where the gateway's settings tell."""
    return Derived(systems=list(systems), rule=rule)


def owned_by(writer: Writer) -> OwnedBy:
    """Held by the database to one writer."""
    return OwnedBy(writer=writer)


def systems_of(directives: Iterable[object]) -> frozenset[System]:
    """Which systems a field's value comes from."""
    found: set[System] = set()
    for directive in directives:
        if isinstance(directive, Source):
            found.add(directive.system)
        elif isinstance(directive, Derived):
            found.update(directive.systems)
    return frozenset(found)
