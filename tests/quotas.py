"""ResourceQuotas, for tests."""

from collections.abc import Iterable, Mapping

from gateway.errors import System
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.quantity import Quantity, quantity
from gateway.fleet.quota import ResourceQuota
from gateway.fleet.source import SourceKey
from tests.builders import CLUSTER
from tests.fleets import FRESH

RESOURCE_QUOTAS = SourceKey(System.KUBERNETES, CLUSTER, "resourcequotas")
Amounts = Mapping[str, str]


def a_quota(
    hard: Amounts, used: Amounts | None = None, *, name: str = "gpus", namespace: str = "training"
) -> ResourceQuota:
    """A quota of the namespace of a workspace."""
    return ResourceQuota(
        cluster=CLUSTER, namespace=namespace, name=name, hard=_amounts(hard), used=_amounts(used or {})
    )


def with_quotas(keeper: FleetKeeper, quotas: Iterable[ResourceQuota]) -> FleetKeeper:
    """The keeper, told of these quotas a moment ago."""
    keeper.replace(RESOURCE_QUOTAS, {(one.namespace, one.name): one for one in quotas}, FRESH)
    return keeper


def _amounts(amounts: Amounts) -> tuple[Quantity, ...]:
    return tuple(quantity(key, text, System.KUBERNETES) for key, text in sorted(amounts.items()))
