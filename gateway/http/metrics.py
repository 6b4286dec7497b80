"""What /metrics tells: requests by outcome and duration, and how each source stands."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from gateway.fleet.source import SourceState, SourceStatus
from gateway.http.moment import Moment

_BUCKETS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The gateway's own registry: nothing of other libraries slips in."""

    def __init__(self, pin: Callable[[], Moment], meters: Iterable[Collector] = ()) -> None:
        self._registry = CollectorRegistry()
        for meter in meters:
            self._registry.register(meter)
        self._registry.register(_Sources(pin))
        self._requests = Counter(
            "gpu_gateway_requests",
            "GraphQL requests by how they ended: data, partial, request_error, refused.",
            ["outcome"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "gpu_gateway_request_duration_seconds",
            "Time from a request's first byte to its answer.",
            ["outcome"],
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def answered(self, outcome: str, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(outcome).inc()
        self._seconds.labels(outcome).observe(seconds)

    def text(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self._registry)


class _Sources(Collector):
    """Read off the fleet when asked, so that an age is never itself old."""

    def __init__(self, pin: Callable[[], Moment]) -> None:
        self._pin = pin

    def describe(self) -> Iterable[Metric]:
        """Nothing ahead of time: the fleet may not be there yet."""
        return []

    def collect(self) -> Iterator[Metric]:
        """One family a fact, one sample a source."""
        moment = self._pin()
        sources = moment.sources
        yield _family("age_seconds", "Since its last answer.", sources, lambda s: _age(s, moment.now))
        yield _family(
            "consecutive_failures", "In a row until now.", sources, lambda s: s.consecutive_failures
        )
        yield _family("skipped_items", "Unreadable in its last sync.", sources, lambda s: len(s.skipped))
        yield _family("objects", "Held of it; absent while unknown.", sources, lambda s: s.objects)
        yield _states(sources)


def _family(
    name: str,
    text: str,
    sources: Iterable[SourceStatus],
    value: Callable[[SourceStatus], object],
) -> Metric:
    family = GaugeMetricFamily(f"gpu_gateway_source_{name}", text, labels=["source", "system"])
    for source in sources:
        number = value(source)
        if isinstance(number, int | float):
            family.add_metric([source.name, source.system.value], number)
    return family


def _age(source: SourceStatus, now: datetime) -> float | None:
    return (now - source.last_success_at).total_seconds() if source.last_success_at else None


def _states(sources: Iterable[SourceStatus]) -> Metric:
    family = GaugeMetricFamily(
        "gpu_gateway_source_state", "1 for the state that it is in.", labels=["source", "system", "state"]
    )
    for source in sources:
        for state in SourceState:
            labels = [source.name, source.system.value, state.value]
            family.add_metric(labels, float(source.state is state))
    return family
