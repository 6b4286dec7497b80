"""The figures as a page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.scale.measure import RATE, percentile
from bench.scale.run import Measured

NODE_EVENTS = "a node"
"""How the names of changes to nodes begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of every size."""

    name: str
    value: Callable[[Measured], float]
    most: float | None = None
    """What it must not exceed on the largest fleet."""

    def holds(self, largest: Measured) -> bool:
        """Whether the largest fleet is within it."""
        return self.most is None or self.value(largest) <= self.most


def rows(measured: Sequence[Measured]) -> Iterator[Row]:
    """Every figure, with its bound where it has one."""
    yield Row(name="first sync, from the start of the process, s", value=lambda m: m.sync.seconds, most=30)
    yield Row(name="CPU of it, s", value=lambda m: m.sync.cpu_seconds)
    yield Row(name="memory after it, MiB", value=lambda m: m.sync.memory.now, most=1536)
    yield Row(name="most memory during it, MiB", value=lambda m: m.sync.memory.peak, most=1536)
    yield Row(name="memory at the end, MiB", value=lambda m: m.memory_after, most=1536)
    yield Row(name="CPU at rest, ms a second", value=lambda m: m.rest)
    for change in measured[0].events:
        most = None if change.startswith(NODE_EVENTS) else 0.3
        yield Row(name=f"CPU of an event, ms: {change}", value=_event(change), most=most)
    yield Row(name="change to answer, p50, ms", value=lambda m: percentile(m.stream.visible, 50))
    yield Row(name="change to answer, p99, ms", value=lambda m: percentile(m.stream.visible, 99), most=1000)
    yield Row(name="change to answer, longest, ms", value=lambda m: max(m.stream.visible))
    yield Row(name="dashboard's answer, p50, ms", value=lambda m: percentile(m.stream.pages, 50))
    yield Row(
        name="change to answer while all is listed again, longest, ms", value=lambda m: max(m.relist.visible)
    )


def _event(change: str) -> Callable[[Measured], float]:
    return lambda measured: measured.events[change]


def page(measured: Sequence[Measured], machine: Iterable[str], command: str) -> str:
    """The whole page."""
    return "\n".join([_HEAD.format(rate=RATE, command=command), *_list(machine), "", *_table(measured), ""])


def _list(lines: Iterable[str]) -> Iterator[str]:
    return (f"- {line}" for line in lines)


def _table(measured: Sequence[Measured]) -> Iterator[str]:
    largest = measured[-1]
    against = [one for one in measured[:-1] if one is not largest]
    sizes = [f"{m.fleet.pods:,} pods, {m.fleet.nodes:,} nodes" for m in measured]
    ratios = [f"x over {m.fleet.pods:,}" for m in against]
    yield _line(["", *sizes, *ratios, "at most"])
    yield _line(["---", *["---:"] * (len(sizes) + len(ratios) + 1)])
    pods = [f"{largest.fleet.pods / m.fleet.pods:.0f}" for m in against]
    yield _line(["pods", *[f"{m.fleet.pods:,}" for m in measured], *pods, ""])
    for row in rows(measured):
        values = [row.value(m) for m in measured]
        shown = [_number(value) for value in values]
        times = [f"{values[-1] / value:.2f}" for value in values[:-1]]
        yield _line([row.name, *shown, *times, _bound(row, largest)])


def _bound(row: Row, largest: Measured) -> str:
    if row.most is None:
        return ""
    return f"{row.most:g} {'✓' if row.holds(largest) else '✗'}"


def _number(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


_HEAD = """# What a large fleet costs

<!-- Written by `{command}`; run it again instead of editing. -->

One gateway (`gpu-gateway serve`, pinned to one core) reads one simulated cluster, which is served and
changed by another process on the other cores. Every machine has 8 cards; half of the machines are cut by
MIG (mixed: 16 x 1g.10gb, 8 x 2g.20gb, 8 x 3g.40gb), and a pod of 3.3 KB holds each card and each slice.

- CPU is what the kernel counts for all threads of the gateway: at rest, and for each event above that while
  {rate} changes a second stream in, one by one. Sizes take turns, and the median of the rounds counts.
- A change is visible when an answer over HTTP shows it (a pod's phase beside the sums of its node), asked
  again and again while {rate} changes of all kinds a second stream in and a dashboard asks once a second
  for the account and the first pages of nodes and pods.
- Ratios are of the largest fleet over a smaller one, measured in one run. Delays are wall time, so other work
  on the machine shows in them.
"""
