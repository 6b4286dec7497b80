"""How many GPUs a job has, or asks for while it waits, and on which of its nodes."""

from collections import Counter
from collections.abc import Callable, Mapping

from gateway.errors import System
from gateway.fleet.gpu import GpuClaim
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown, undetermined
from gateway.sources.slurm.gres import Gres, read_gres, read_tres
from gateway.sources.slurm.numbers import read_count
from gateway.sources.slurm.reading import Reading, read_text, read_texts
from gateway.sources.slurm.shapes import JobShape

Counts = dict[Gres, int]
NodeGpus = tuple[tuple[str, int], ...]

_ASKED = (
    ("tres_per_job", None),
    ("tres_per_node", "node_count"),
    ("tres_per_socket", "sockets"),
    ("tres_per_task", "tasks"),
)
"""Where a request stands, and what it is multiplied by."""
_MOST = 2**31 - 1


class JobGpus:
    """The GPUs of one job."""

    def __init__(self, job: JobShape, reading: Reading) -> None:
        self._job = job
        self._reading = reading
        self._details = reading.read("gres_detail", job.gres_detail, _details)

    def claims(self) -> tuple[GpuClaim, ...]:
        """What Slurm gave to it; where Slurm does not say, what it asked for."""
        counts = self._given() or self._allocated() or self._asked()
        return tuple(
            GpuClaim(resource=gres.resource, unit=gres.unit, count=_bounded(gres, count))
            for gres, count in sorted(counts.items(), key=lambda item: item[0].resource)
        )

    def by_node(self, nodes: tuple[str, ...], claims: tuple[GpuClaim, ...]) -> NodeGpus | Unknown:
        """The cards that it holds on each of these nodes, which are in Slurm's order."""
        details = self._details
        if isinstance(details, Unknown):
            return details
        if not details and not claims:
            return ()
        if not details:
            return undetermined(System.SLURM, "gres_detail does not tell which GPUs were given")
        if len(details) != len(nodes):
            text = f"tells of {len(details)} nodes, and the job has {len(nodes)}"
            return self._reading.problem("gres_detail", self._job.gres_detail, text)
        cards = map(_cards, details)
        return tuple((node, count) for node, count in zip(nodes, cards, strict=True) if count)

    def _given(self) -> Counts:
        total: Counter[Gres] = Counter()
        if not isinstance(self._details, Unknown):
            for detail in self._details:
                total.update(detail)
        return dict(total)

    def _allocated(self) -> Mapping[Gres, int | Unknown]:
        """Nothing where the site does not track gres/gpu."""
        return self._read("tres_alloc_str", read_tres)

    def _asked(self) -> Mapping[Gres, int | Unknown]:
        for path, per in _ASKED:
            counts = self._read(path, read_gres)
            if counts:
                times = self._times(per)
                return {gres: _product(count, times) for gres, count in counts.items()}
        return self._read("tres_req_str", read_tres)

    def _read(self, path: str, rule: Callable[[str], Counts]) -> Mapping[Gres, int | Unknown]:
        """What one text counts; one that cannot be read counts an unknown number."""
        counts = self._reading.read(path, getattr(self._job, path), lambda value: rule(read_text(value)))
        return {Gres("gpu", None): counts} if isinstance(counts, Unknown) else counts

    def _times(self, per: str | None) -> int | Unknown:
        if per is None:
            return 1
        if per == "sockets":
            return undetermined(System.SLURM, "asked for by socket, whose number Slurm does not tell")
        return self._reading.read(per, getattr(self._job, per), _set_count)


def _details(value: object) -> tuple[Counts, ...]:
    return tuple(map(read_gres, read_texts(value)))


def _set_count(value: object) -> int:
    count = read_count(value)
    if count is None:
        raise ValueError("is not set")
    return count


def _product(count: int | Unknown, times: int | Unknown) -> int | Unknown:
    if isinstance(count, Unknown):
        return count
    return times if isinstance(times, Unknown) else count * times


def _bounded(gres: Gres, count: int | Unknown) -> int | Unknown:
    if isinstance(count, Unknown) or count <= _MOST:
        return count
    return undetermined(System.SLURM, f"{gres.resource}: {count} is no count of GPUs")


def _cards(counts: Counts) -> int:
    return sum(count for gres, count in counts.items() if gres.unit is GpuUnit.CARD)
