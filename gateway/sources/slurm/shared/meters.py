"""What is counted of sharing: how answers came, and how the cache stands."""

from prometheus_client import Counter, Gauge
from prometheus_client.registry import Collector


class Meters:
    """One replica's counts; whoever serves metrics registers them."""

    def __init__(self) -> None:
        self.answers = Counter(
            "gpu_gateway_slurm_answers",
            "Answers of Slurms by how they came: asked in this replica's turn, shared by another replica, "
            "or asked alone because the cache did not help.",
            ["slurm", "listing", "came"],
            registry=None,
        )
        self.failures = Counter(
            "gpu_gateway_cache_failures",
            "Questions to the replicas' cache that it did not answer.",
            registry=None,
        )
        self.is_up = Gauge(
            "gpu_gateway_cache_up", "1 while the replicas' cache is used, 0 while it is away.", registry=None
        )
        self.is_up.set(1)

    @property
    def all(self) -> tuple[Collector, ...]:
        """Each of them."""
        return self.answers, self.failures, self.is_up
