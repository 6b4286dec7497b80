"""What Volcano says of a gang and of its queue (1.7 to 1.16)."""

import re
from collections.abc import Mapping

from gateway.fleet.reasons.nodes import read_nodes
from gateway.fleet.reasons.reason import ParsedReason, PendingCode, PendingPart

_GANG = re.compile(
    r"(?:PodGroup \S+ unschedulable, reason: )?(?:\d+/\d+ tasks in gang unschedulable: )?(?P<body>.*)",
    re.DOTALL,
)
_BODY = re.compile(
    r"pod group is (?P<not>not )?ready(?:, (?P<tasks>[^;.]*))?(?:; Pending: [^.]*)?"
    r"(?:\. Origin reason is (?P<pod>\S+): (?P<origin>.*))?\.?",
    re.DOTALL,
)
_ASSIGNED = re.compile(r"Pod \S+ can possibly be assigned to \S+, once .*minAvailable is satisfied\.?")
_QUEUE = re.compile(r"queue resource quota insufficient(?:: (?P<lacking>.*))?", re.DOTALL)
_OVERUSED = re.compile(r"resource in cluster is overused(?:: (?P<lacking>.*))?", re.DOTALL)
_LACKING = re.compile(r"(?:insufficient|overused) (?P<resource>[^\s,]+)")
_TASKS = re.compile(r"\b(\d{1,9}) (\w+)")
_PLACED = ("Allocated", "Binding", "Bound", "Running")
_NEED = "minAvailable"


def read_gang(text: str) -> ParsedReason | None:
    """Read what Volcano says of a gang or its queue; None where it is not Volcano that speaks."""
    gang = _GANG.fullmatch(text)
    body = gang["body"] if gang else text
    form = _BODY.fullmatch(body)
    if form:
        return _gang(form)
    if _ASSIGNED.fullmatch(body):
        return _whole(PendingCode.GANG_NOT_READY, body)
    return _queue(body) or (read_nodes(body) if body != text else None)


def _gang(form: re.Match[str]) -> ParsedReason:
    counts = {word: int(count) for count, word in _TASKS.findall(form["tasks"] or "")}
    on_nodes = read_nodes(form["origin"]) if form["origin"] else None
    told = PendingPart(nodes=0, code=PendingCode.GANG_NOT_READY, text=form[0])
    parts = on_nodes.parts if on_nodes else (told,)
    return ParsedReason(
        code=_gang_code(counts, on_nodes),
        total_nodes=on_nodes.total_nodes if on_nodes else None,
        parts=parts,
        placed=not form["not"] or _is_placed(counts),
    )


def _gang_code(counts: Mapping[str, int], on_nodes: ParsedReason | None) -> PendingCode:
    """A gang of which nobody is Pending any more waits for what others are about to release."""
    if "Pending" not in counts and ("Pipelined" in counts or "Releasing" in counts):
        return PendingCode.RELEASING
    return on_nodes.code if on_nodes else PendingCode.GANG_NOT_READY


def _is_placed(counts: Mapping[str, int]) -> bool:
    """Volcano writes its Warning at a successful bind too, in 1.13 as "is not ready"."""
    placed = sum(counts.get(word, 0) for word in _PLACED)
    return placed >= max(counts.get(_NEED, 0), 1) and not counts.keys() - {*_PLACED, _NEED}


def _queue(text: str) -> ParsedReason | None:
    for form, code in ((_QUEUE, PendingCode.QUEUE_FULL), (_OVERUSED, PendingCode.ENQUEUE_LIMIT)):
        said = form.fullmatch(text)
        if said:
            names = [found["resource"] for found in _LACKING.finditer(said["lacking"] or "")]
            parts = [PendingPart(nodes=0, code=code, resource=name, text=text) for name in names or (None,)]
            return ParsedReason(code=code, total_nodes=None, parts=tuple(parts))
    return None


def _whole(code: PendingCode, text: str) -> ParsedReason:
    return ParsedReason(code=code, total_nodes=None, parts=(PendingPart(nodes=0, code=code, text=text),))
