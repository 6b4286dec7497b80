"""When two messages give the same reason: names of nodes and pods, order and counts do not matter."""

import re

from gateway.fleet.reasons.reason import ParsedReason, PendingPart

_NAMES = (
    (re.compile(r"assigned to [^\s,]+"), "assigned to *"),
    (re.compile(r"\bPod \S+ can possibly"), "Pod * can possibly"),
    (re.compile(r"\b(pods?) \"[^\"]*\" is", re.IGNORECASE), r"\1 * is"),
    (re.compile(r"\bUID: [^,)\s]+"), "UID: *"),
    (re.compile(r"(?<![\w./-])\d+(?:\.\d+)?[A-Za-z]{0,2}(?![\w/-])"), "#"),
)
_BETWEEN = re.compile(r"[,;] ")


def reason_key(reason: ParsedReason) -> str:
    """The same for messages that give the same reason."""
    said = sorted({_said(part) for part in reason.parts})
    return "; ".join((reason.code.value, *said))


def _said(part: PendingPart) -> str:
    """One part without what changes from attempt to attempt; a resource says all there is to say."""
    if part.resource:
        return f"{part.code.value} {part.resource}"
    said = part.text
    for pattern, instead in _NAMES:
        said = pattern.sub(instead, said)
    return ", ".join(sorted(_BETWEEN.split(said)))
