"""What /metrics tells of the fleet itself: open alerts, machines that are not usable, quotas that fill up."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from gateway.fleet.fleet import Fleet
from gateway.fleet.node import NodeHealth
from gateway.fleet.quantity import Quantity
from gateway.fleet.quota import ResourceQuota, binds
from gateway.fleet.unknown import Unknown


class FleetMetrics(Collector):
    """Read off the fleet when asked; of what is silent there is no sample."""

    def __init__(self, pin: Callable[[], Fleet]) -> None:
        self._pin = pin

    def describe(self) -> Iterable[Metric]:
        """Nothing ahead of time: the fleet may not be there yet."""
        return []

    def collect(self) -> Iterator[Metric]:
        """One family a fact."""
        fleet = self._pin()
        yield _alerts(fleet)
        yield _unhealthy(fleet)
        yield _quotas(fleet)


def _alerts(fleet: Fleet) -> Metric:
    family = GaugeMetricFamily(
        "gpu_gateway_alerts", "Open alerts by kind.", labels=["kind", "severity", "cluster"]
    )
    findings = (alert.finding for alert in fleet.alerts.rows.values() if alert.is_open)
    counts = Counter((one.kind.value, one.severity.value, one.cluster or "") for one in findings)
    for labels, count in sorted(counts.items()):
        family.add_metric(labels, count)
    return family


def _unhealthy(fleet: Fleet) -> Metric:
    family = GaugeMetricFamily(
        "gpu_gateway_node_health_reasons",
        "Machines whose GPUs are not usable as they should, by reason.",
        labels=["cluster", "code"],
    )
    for cluster in fleet.clusters:
        nodes = fleet.nodes(cluster)
        if isinstance(nodes, Unknown):
            continue
        ill = [node.health for node in nodes.values() if isinstance(node.health, NodeHealth)]
        counts = Counter(code.value for health in ill for code in {reason.code for reason in health.reasons})
        for code, count in sorted(counts.items()):
            family.add_metric([cluster, code], count)
    return family


def _quotas(fleet: Fleet) -> Metric:
    family = GaugeMetricFamily(
        "gpu_gateway_quota_used_ratio",
        "What of a quota's GPUs is used, from 0 to 1; only keys that hold anybody back.",
        labels=["cluster", "namespace", "quota", "resource"],
    )
    for cluster in fleet.clusters:
        quotas = fleet.quotas(cluster)
        for quota in () if isinstance(quotas, Unknown) else quotas.values():
            for key, ratio in _ratios(quota):
                family.add_metric([cluster, quota.namespace, quota.name, key], float(ratio))
    return family


def _ratios(quota: ResourceQuota) -> Iterator[tuple[str, Decimal]]:
    used = {amount.resource: amount for amount in quota.used}
    for ceiling in quota.hard:
        hard, taken = _number(ceiling), _number(used.get(ceiling.resource))
        if binds(ceiling.resource) and hard and taken is not None:
            yield ceiling.resource, taken / hard


def _number(amount: Quantity | None) -> Decimal | None:
    return amount.value if amount is not None and isinstance(amount.value, Decimal) else None
