"""Settings become the controllers of each cluster."""

import asyncio
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass

from gateway.access import cluster_access
from gateway.assembly import dsn_now
from gateway.controllers.health_monitor import HealthMonitor
from gateway.controllers.leadership import Candidate, Leadership
from gateway.controllers.loop import Loop
from gateway.controllers.node_reconciler.reconciler import Reconciler, Sleep
from gateway.controllers.node_reconciler.sight import Limits
from gateway.errors import Invalid
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.ports import HealthLedger, NodeLedger
from gateway.settings import ClusterSettings, ControllerSettings, Settings
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.election import LeaseElection, Seat
from gateway.sources.kubernetes.hands import KubernetesHands
from gateway.sources.postgres.health import PostgresHealthLedger
from gateway.sources.postgres.ledger import PostgresNodeLedger


@dataclass(frozen=True, slots=True)
class Controllers:
    """The controllers of one cluster, over one connection of their own."""

    api: Api
    loop: Loop
    monitor: HealthMonitor

    async def run(self) -> None:
        """Reconcile and watch until cancelled; then let another lead."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.loop.run())
                group.create_task(self.monitor.run())
        finally:
            await self.api.close()


async def run_all(controllers: Iterable[Controllers]) -> None:
    """Run those of every cluster until cancelled; where one fails, all end."""
    async with asyncio.TaskGroup() as group:
        for one in controllers:
            group.create_task(one.run())


def assemble_controllers(
    settings: Settings, keeper: FleetKeeper, sleep: Sleep = asyncio.sleep
) -> tuple[Controllers, ...]:
    """Make the controllers of every cluster; refuse what can never work."""
    reconciler = dsn_now(settings.postgres.read_reconciler_dsn)
    health = dsn_now(settings.postgres.read_health_dsn)
    if reconciler is None or health is None:
        raise Invalid("no database is set, where what is desired would stand: set postgres.dsn_file")
    if not settings.clusters:
        raise Invalid("no cluster is set, so there is nothing to control: name one in [[clusters]]")
    ledgers = PostgresNodeLedger(reconciler), PostgresHealthLedger(health)
    known = settings.controllers, keeper, ledgers, sleep
    return tuple(_controllers(one, *known) for one in settings.clusters)


def _controllers(
    cluster: ClusterSettings,
    settings: ControllerSettings,
    keeper: FleetKeeper,
    ledgers: tuple[NodeLedger, HealthLedger],
    sleep: Sleep,
) -> Controllers:
    api, holder = Api(cluster_access(cluster)), f"{socket.gethostname()}-{secrets.token_hex(4)}"
    election = LeaseElection(api, Seat(namespace=settings.lease_namespace), holder)
    most = settings.max_nodes_in_change
    candidate = Candidate(cluster=cluster.name, holder=holder, max_in_change=most)
    leadership = Leadership(candidate, election, ledgers[0])
    reconciler = Reconciler(
        hands=KubernetesHands(api, namespace=settings.operator_namespace),
        ledger=ledgers[0],
        leadership=leadership,
        limits=Limits(
            drain_timeout=settings.drain_timeout,
            max_in_change=most,
            adopt_from=frozenset(settings.mig_label_adopt_from),
        ),
        sleep=sleep,
    )
    return Controllers(
        api=api,
        loop=Loop(cluster.name, reconciler, keeper.pin),
        monitor=HealthMonitor(leadership, ledgers[1], keeper.pin),
    )
