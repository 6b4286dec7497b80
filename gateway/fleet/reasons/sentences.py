"""Reasons that are told in sentences: Kueue's, the kubelet's at admission, the API server's refusals."""

import re
from typing import NamedTuple

from gateway.fleet.reasons.reason import ParsedReason, PendingCode, PendingPart


class _Sentence(NamedTuple):
    pattern: re.Pattern[str]
    code: PendingCode


def _sentence(pattern: str, code: PendingCode) -> _Sentence:
    return _Sentence(re.compile(pattern), code)


_NAME = r"(?P<resource>[\w./-]*[\w-])"
_KUEUE = (
    _sentence(r"Pending the preemption of \d+ workload", PendingCode.WAITING_FOR_PREEMPTION),
    _sentence(
        rf"insufficient (?:unused )?quota (?:in cohort )?for {_NAME} in flavor", PendingCode.QUEUE_FULL
    ),
    _sentence(rf"borrowing limit for {_NAME} in flavor", PendingCode.QUEUE_FULL),
    _sentence(rf"resource {_NAME} unavailable in ClusterQueue", PendingCode.MISCONFIGURED),
    _sentence(r"topology \"[^\"]*\" (?:doesn't allow|allows) to fit", PendingCode.TOPOLOGY),
    _sentence(r"untolerated taint \{[^}]*\} in flavor", PendingCode.UNTOLERATED_TAINT),
    _sentence(r"flavor \S+ doesn't match node affinity", PendingCode.NODE_AFFINITY),
    _sentence(r"(?:LocalQueue|ClusterQueue) \S+ doesn't exist", PendingCode.QUEUE_UNKNOWN),
    _sentence(r"(?:LocalQueue|ClusterQueue) \S+ is (?:inactive|stopped)", PendingCode.QUEUE_CLOSED),
)
_ADMISSION = (
    _sentence(
        r"(?:exceeded|failed) quota|insufficient quota to match these scopes|status unknown for quota",
        PendingCode.QUOTA_EXCEEDED,
    ),
    _sentence(r"resource quota insufficient, requested: ", PendingCode.QUOTA_EXCEEDED),
    _sentence(rf"(?:maximum|minimum) {_NAME} usage per \w+ is ", PendingCode.LIMIT_RANGE),
    _sentence(rf"(?<![\w./-]){_NAME} max limit to request ratio per \w+ is ", PendingCode.LIMIT_RANGE),
    _sentence(rf"Node didn't have enough resource: {_NAME},", PendingCode.KUBELET_ADMISSION),
    _sentence(rf"OutOf{_NAME}", PendingCode.KUBELET_ADMISSION),
    _sentence(
        r"requested number of devices unavailable for (?P<resource>[\w./-]*\w)",
        PendingCode.KUBELET_ADMISSION,
    ),
    _sentence(r"cannot allocate unhealthy devices (?P<resource>[\w./-]*\w)", PendingCode.KUBELET_ADMISSION),
    _sentence(
        r"^Pod was rejected: |Allocate failed due to |UnexpectedAdmissionError|TopologyAffinityError",
        PendingCode.KUBELET_ADMISSION,
    ),
    _sentence(r"Resources cannot be allocated with Topology locality", PendingCode.KUBELET_ADMISSION),
    _sentence(r"^Predicate \w+ failed", PendingCode.KUBELET_ADMISSION),
    _sentence(r"waiting for minCount pods from a gang", PendingCode.GANG_NOT_READY),  # kube-scheduler 1.35
    _sentence(r"Scheduling is blocked due to non-empty scheduling gates", PendingCode.SCHEDULING_GATED),
    _sentence(r"no PriorityClass with name \S+ was found", PendingCode.MISCONFIGURED),
    _sentence(r"RuntimeClass \"[^\"]*\" not found", PendingCode.MISCONFIGURED),
    _sentence(r"(?:Pod|pods) \"[^\"]*\" is invalid: ", PendingCode.MISCONFIGURED),
    _sentence(r"in version \"v1\" cannot be handled as a Pod", PendingCode.MISCONFIGURED),
)
_QUOTA = re.compile(
    r"(?:exceeded|failed) quota: [^,:]+(?:, requested: (?P<asked>.*?), used: |: must specify (?P<unset>\S+))"
)
_QUOTA_KEY = re.compile(r"(?:^|,)(?:requests\.|limits\.)?(?P<resource>[^=,]+)")


def read_sentence(text: str) -> ParsedReason | None:
    """Read a reason that is told in words of its own; None where it is none that is known."""
    for parts in (_quota(text), _parts(_KUEUE, text), _parts(_ADMISSION, text)):
        if parts:
            return ParsedReason(code=parts[0].code, total_nodes=None, parts=parts)
    return None


def _quota(text: str) -> tuple[PendingPart, ...]:
    """Every key of a namespace's quota that would have been exceeded, or that must be set."""
    said = _QUOTA.search(text)
    keys = _QUOTA_KEY.finditer(said["asked"] or said["unset"] or "") if said else ()
    names = sorted({key["resource"] for key in keys})
    code = PendingCode.QUOTA_EXCEEDED
    return tuple(PendingPart(nodes=0, code=code, resource=name, text=text) for name in names)


def _parts(sentences: tuple[_Sentence, ...], text: str) -> tuple[PendingPart, ...]:
    """All that is said, once each; the kind that stands first in the table counts first."""
    parts: dict[tuple[PendingCode, str | None], PendingPart] = {}
    for pattern, code in sentences:
        for found in pattern.finditer(text):
            resource = found.groupdict().get("resource")
            told = PendingPart(nodes=0, code=code, resource=resource, text=text)
            parts.setdefault((code, resource), told)
    named = {code for code, resource in parts if resource}
    return tuple(one for one in parts.values() if one.resource or one.code not in named)
