"""The seams between the fleet and what knows it."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol

from gateway.fleet.alert import Alert, News
from gateway.fleet.change import Order, Outcome
from gateway.fleet.health_reason import ReportedHealth
from gateway.fleet.history import History, HistoryAsked
from gateway.fleet.live import EffectResult, LayoutsFile, LiveNode, LivePod, Tenure
from gateway.fleet.pending.reason import KeptReason, ReasonNews, Reasons, ReasonsAsked
from gateway.fleet.source import Contact, SourceKey
from gateway.fleet.wish import Claim, Wish


class Feed(Protocol):
    """Where a source tells what it learnt. Calls are synchronous: a reader never sees half of one."""

    def replace(self, key: SourceKey, rows: Mapping[Hashable, object], contact: Contact) -> None:
        """Everything that there is, by key; what is not among it is gone."""

    def change(self, key: SourceKey, rows: Mapping[Hashable, object | None], contact: Contact) -> None:
        """What changed, by key; None is gone."""

    def touch(self, key: SourceKey, contact: Contact) -> None:
        """Nothing changed but the contact itself."""


class Source(Protocol):
    """Keeps some listings of one system fresh for as long as it runs."""

    async def run(self) -> None:
        """Read, tell the feed, and go on until cancelled; a silent system is told, never raised."""


class AlertStore(Protocol):
    """Keeps alerts over restarts, and tells replicas of each other's."""

    async def exchange(self, news: News) -> Sequence[Alert]:
        """Write what is new, and read all that are kept; a SourceError where that is not to be had now."""


class PlatformWriter(Protocol):
    """Writes what callers ask for into the platform's records, as the API's role."""

    async def write(self, order: Order) -> Outcome:
        """Make one change in one transaction, and wait until this replica reads it; a SourceError where not.

        What the database refuses (a generation that moved, a node taken meanwhile, a key used before) is a
        Problem. With a key that was used for the same before, what it came to then.
        """

    async def repeated(self, order: Order) -> Outcome | None:
        """What its key came to before, or the Problem that it was for another input; None: it is new."""

    async def history(self, asked: Sequence[HistoryAsked]) -> Sequence[History]:
        """A page for each node that is asked about, in the same order, by one question."""


class NodeLedger(Protocol):
    """What is desired of nodes and how far that is, in the database, as the reconciler's role."""

    async def lead(self, controller: str, holder: str, max_in_change: int) -> int:
        """Begin a new epoch; from now on what earlier leaders write is refused."""

    async def wishes(self, cluster: str) -> Sequence[Wish]:
        """Every node record of a cluster, read now."""

    async def claim(self, claim: Claim) -> bool:
        """Write how far a node is, before the effect; False: the wish moved, a pause, or another leads."""


class HealthLedger(Protocol):
    """What the health monitor wrote down, in the database, as its role."""

    async def report(self, cluster: str, reports: Mapping[str, ReportedHealth]) -> None:
        """Write the health of nodes by name, and nothing else of them."""


class NodeHands(Protocol):
    """One cluster's nodes and pods, read live and written with the reconciler's rights.

    Each call is one request or a few, ends within its own time limit, and never repeats a write by itself.
    A SourceError where the API server does not answer.
    """

    async def node(self, name: str) -> LiveNode | None:
        """The node as it is now."""

    async def pods(self, node: str) -> Sequence[LivePod]:
        """What is bound to it and has not ended."""

    async def operands(self, node: str, app: str) -> Sequence[LivePod]:
        """The operator's pods of one app there: nvidia-mig-manager, nvidia-device-plugin-daemonset."""

    async def cordon(self, node: LiveNode, generation: int) -> EffectResult:
        """Apply spec.unschedulable and our annotation, both, never forced."""

    async def give_back(self, node: LiveNode) -> EffectResult:
        """Apply neither: a co-owner's value stays."""

    async def label(self, node: LiveNode, config: str) -> EffectResult:
        """Set nvidia.com/mig.config and take its state away, in one patch."""

    async def evict(self, pod: LivePod, *, dry_run: bool) -> EffectResult:
        """Ask for an eviction of this very pod."""

    async def delete(self, pod: LivePod) -> EffectResult:
        """Delete this very pod of the operator."""

    async def layouts(self) -> LayoutsFile:
        """The MIG manager's configurations."""

    async def add_layout(self, name: str, text: str) -> EffectResult:
        """Add a configuration to the gateway's ConfigMap, which it makes where there is none."""


class Election(Protocol):
    """Who of several processes leads a cluster's controllers, by a Lease in that cluster."""

    async def tenure(self) -> Tenure:
        """Take or renew the lease, as far as it is due; never raises for an API server that is silent."""

    async def resign(self) -> None:
        """Give it up, so that another need not wait."""


class ReasonStore(Protocol):
    """Keeps why work waits, as the recorder's role; what is told twice, or by two, counts once."""

    async def keep(self, news: ReasonNews) -> Sequence[KeptReason]:
        """Write what is new, and read which reasons are not resolved; a SourceError where it is silent."""


class ReasonArchive(Protocol):
    """Answers what was kept of why work waits."""

    async def reasons(self, asked: Sequence[ReasonsAsked]) -> Sequence[Reasons]:
        """A page for each that is asked, in the same order."""
