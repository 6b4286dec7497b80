"""What a scheduler says of the nodes that it looked at: kube-scheduler 1.17 to 1.37, Volcano, KAI."""

import re
from collections.abc import Iterable

from gateway.fleet.reasons.reason import ParsedReason, PendingCode, PendingPart
from gateway.fleet.reasons.wordings import part

_LOOKED_AT = re.compile(
    r"(?:In hyperNode \S+: )?0/(?P<total>\d{1,9}) nodes are (?:un)?available: *(?P<rest>.*)", re.DOTALL
)
_NO_NODES = re.compile(r"(?:no nodes available to schedule pods|0 nodes are available)\.?")
_KAI = re.compile(r"no nodes with enough resources were found: (?P<rest>.*)", re.DOTALL)
# The words before "preemption" are the claim plugin's, about every pod (kube-scheduler 1.34 and later).
_PREEMPTION = re.compile(
    r"(?<!\s)\.?\s+(?:no new claims to deallocate, |still not schedulable, )?preemption: (?P<said>.*)",
    re.DOTALL,
)
_NO_STATE = ". not found"
"""Follows the words of a prefilter: preemption was not tried (kube-scheduler 1.36)."""
_CUT = " ..."
"""An event's text that would be longer than 1,024 characters ends so."""
_NEXT = re.compile(r", (?=\d+ )|\.\n(?=\d+ )")
"""Between two entries; a taint of 1.18 to 1.23 has a comma of its own."""
_COUNTED = re.compile(r"(?P<nodes>\d{1,9}) (?P<text>.+)", re.DOTALL)
_NEAREST = (
    PendingCode.WAITING_FOR_PREEMPTION,
    PendingCode.RESOURCE_CLAIM,
    PendingCode.POD_AFFINITY,
    PendingCode.TOPOLOGY,
    PendingCode.VOLUME,
    PendingCode.INSUFFICIENT_RESOURCE,
    PendingCode.TOO_MANY_PODS,
    PendingCode.HOST_PORT,
    PendingCode.NODE_AFFINITY,
    PendingCode.UNTOLERATED_TAINT,
    PendingCode.CORDONED,
)
"""The filters of kube-scheduler backwards: a node tells the first that refuses, and passed all before it."""


def read_nodes(text: str) -> ParsedReason | None:
    """Read what is said of nodes; None where nothing is."""
    if _NO_NODES.fullmatch(text):
        nothing = PendingPart(nodes=0, code=PendingCode.NO_NODES, text=text.rstrip("."))
        return ParsedReason(code=PendingCode.NO_NODES, total_nodes=0, parts=(nothing,))
    kai = _KAI.fullmatch(text)
    if kai:
        parts = _parts(kai["rest"], 0)
        return ParsedReason(code=nearest(parts), total_nodes=None, parts=parts)
    looked_at = _LOOKED_AT.fullmatch(text)
    return _looked_at(int(looked_at["total"]), looked_at["rest"]) if looked_at else None


def nearest(parts: Iterable[PendingPart]) -> PendingCode:
    """The reason of those nodes that came nearest to taking the pod."""
    codes = {one.code for one in parts}
    return next((code for code in _NEAREST if code in codes), PendingCode.OTHER)


def _looked_at(total: int, rest: str) -> ParsedReason:
    tail = _PREEMPTION.search(rest)
    parts = _parts(rest[: tail.start()] if tail else rest, total)
    preemption = _preemption(tail["said"], total) if tail else ()
    waiting = [one for one in preemption if one.code is PendingCode.WAITING_FOR_PREEMPTION]
    return ParsedReason(
        code=nearest((*parts, *waiting)), total_nodes=total, parts=parts, preemption=preemption
    )


def _preemption(said: str, total: int) -> tuple[PendingPart, ...]:
    by_node = _LOOKED_AT.fullmatch(said)
    return _parts(by_node["rest"] if by_node else said, total)


def _parts(text: str, total: int) -> tuple[PendingPart, ...]:
    """Entries with their counts; words without one are about all nodes."""
    said = text if text.endswith(_CUT) else text.rstrip().rstrip(".").removesuffix(_NO_STATE)
    entries = [_COUNTED.fullmatch(entry) for entry in _NEXT.split(said)]
    counted = [part(int(entry["nodes"]), entry["text"]) for entry in entries if entry]
    if len(counted) == len(entries):
        return tuple(counted)
    return (part(total, said),) if said else ()
