"""The made-up fleet: pairs of machines, one with eight whole cards and one with eight cut ones, all taken."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from bench.scale.pod import Pod
from gateway.simulator.scenario.hardware import A100, GPU, H100, Machine, Mig
from gateway.simulator.scenario.node_objects import node_object, stamp
from gateway.simulator.store import Json

_CARDS = 8
_DIGITS = 4
_LAYOUT = {"1g.10gb": 16, "2g.20gb": 8, "3g.40gb": 8}
_MIG = Mig(config="all-balanced", slices=_LAYOUT)
_PODS_OF_PAIR = _CARDS + sum(_LAYOUT.values())
_INSTALLED = datetime(2026, 3, 2, tzinfo=UTC)
_AGES = 60
"""Machines are from 30 to 90 days old."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """A fleet by the number of its pods: one for each card or slice."""

    pods: int

    @property
    def pairs(self) -> int:
        """A machine with whole cards and one with slices."""
        return -(-self.pods // _PODS_OF_PAIR)

    @property
    def nodes(self) -> int:
        """All machines."""
        return 2 * self.pairs

    def machines(self) -> Iterator[Machine]:
        """Every machine as it starts; every second one is cut."""
        for pair in range(self.pairs):
            yield Machine(name=_whole(pair), model=A100, cards=_CARDS)
            yield Machine(name=_cut(pair), model=H100, cards=_CARDS, mig=_MIG)

    def work(self) -> Iterator[Pod]:
        """Every pod as it starts."""
        return islice(self._places(), self.pods)

    def _places(self) -> Iterator[Pod]:
        number = 0
        for pair in range(self.pairs):
            for node, resource in _devices(pair):
                yield Pod(number=number, node=node, resource=resource)
                number += 1


def machine_object(machine: Machine, seen: datetime) -> Json:
    """The Node of a machine whose kubelet reported last at that time; all else of it stays as it is."""
    body = node_object(machine, int(machine.name[-_DIGITS:]) % _AGES, _INSTALLED)
    for condition in body["status"]["conditions"]:
        condition["lastHeartbeatTime"] = stamp(seen)
    return body


def _devices(pair: int) -> Iterator[tuple[str, str]]:
    for _ in range(_CARDS):
        yield _whole(pair), GPU
    for profile, count in _LAYOUT.items():
        for _ in range(count):
            yield _cut(pair), f"nvidia.com/mig-{profile}"


def _whole(pair: int) -> str:
    return f"gpu-a100-{pair:0{_DIGITS}}"


def _cut(pair: int) -> str:
    return f"gpu-h100-{pair:0{_DIGITS}}"
