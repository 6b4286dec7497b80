"""The ASGI application: which path is answered by what.

It has no lifespan: whoever serves it keeps the sources at work around it, so that a source that dies ends
the process instead of a task that nobody looks at.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import strawberry
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gateway.fleet.fleet import Fleet
from gateway.fleet.ports import PlatformWriter, ReasonArchive
from gateway.http.endpoint import GraphQLEndpoint
from gateway.http.execution import GraphQL
from gateway.http.fleet_metrics import FleetMetrics
from gateway.http.health import Readiness, healthz
from gateway.http.limits import Limits
from gateway.http.metrics import Metrics
from gateway.http.pages import Pages
from gateway.http.request_log import RequestLog, internal_error
from resolvers.context import Context
from schema.build import executable

Application: TypeAlias = ASGIApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the application serves."""

    schema: strawberry.Schema
    pin: Callable[[], Fleet]
    writer: PlatformWriter | None = None
    """Makes changes and tells of them; None: there are no platform records."""
    archive: ReasonArchive | None = None
    """What was kept of why work waits; None: nothing is kept."""
    meters: Iterable[Collector] = ()
    """What others count, shown at /metrics beside the application's own."""
    limits: Limits
    web: Path
    """The folder of GraphiQL's files."""

    def context(self) -> Context:
        """What a request begins with."""
        return Context(pin=self.pin, fleet=self.pin(), writer=self.writer, archive=self.archive)


def graphql(parts: Parts) -> GraphQL:
    """What answers requests, over HTTP or not: each gets a context of its own on a fleet pinned for it."""
    return GraphQL(executable(parts.schema), parts.context, parts.limits)


def create_app(parts: Parts) -> Application:
    """The application."""
    metrics = Metrics(parts.pin, (FleetMetrics(parts.pin), *parts.meters))
    pages = Pages(parts.web)

    async def metrics_page(_: Request) -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    routes = [
        Route("/graphql", GraphQLEndpoint(graphql(parts), parts.limits, metrics)),
        Route("/", pages.index),
        Route("/web/{name}", pages.file),
        Route("/healthz", healthz),
        Route("/readyz", Readiness(parts.pin).page),
        Route("/metrics", metrics_page),
    ]
    failures = {Exception: internal_error}
    return RequestLog(Starlette(routes=routes, exception_handlers=failures))


def create_probes(pin: Callable[[], Fleet]) -> Application:
    """Whether a process is alive and hears of its systems, and nothing else."""
    return Starlette(routes=[Route("/healthz", healthz), Route("/readyz", Readiness(pin).page)])
