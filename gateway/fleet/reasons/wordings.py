"""The wordings in which one node is said not to do, of every release that is known."""

import re
from functools import lru_cache
from typing import NamedTuple

from gateway.fleet.reasons.reason import PendingCode, PendingPart


class _Wording(NamedTuple):
    pattern: re.Pattern[str]
    code: PendingCode


def _wording(pattern: str, code: PendingCode) -> _Wording:
    return _Wording(re.compile(pattern, re.IGNORECASE), code)


_WORDINGS = (
    _wording(r"Too many pods|Insufficient pods|node\(s\) pod number exceeded", PendingCode.TOO_MANY_PODS),
    _wording(r"Insufficient (?P<resource>\S+)", PendingCode.INSUFFICIENT_RESOURCE),
    _wording(r"node\(s\) resource fit failed", PendingCode.INSUFFICIENT_RESOURCE),
    # KAI
    _wording(
        r"node\(s\) didn't have enough (?:resources|of mig profile): (?P<resource>\S+)",
        PendingCode.INSUFFICIENT_RESOURCE,
    ),
    # The first form is of 1.17, the second of 1.18 to 1.23, the third of 1.24 and later, Volcano's the last.
    _wording(r"node\(s\) had taints that .*", PendingCode.UNTOLERATED_TAINT),
    _wording(r"node\(s\) had taint \{.*", PendingCode.UNTOLERATED_TAINT),
    _wording(r"node\(s\) had untolerated taint.*", PendingCode.UNTOLERATED_TAINT),
    _wording(r"(?:untolerated )?taint \{.*", PendingCode.UNTOLERATED_TAINT),
    _wording(r"node\(s\) didn't match node selector", PendingCode.NODE_AFFINITY),
    _wording(r"node\(s\) didn't match Pod's node affinity.*", PendingCode.NODE_AFFINITY),
    _wording(r"node\(s\) didn't match the requested (?:hostname|node name)", PendingCode.NODE_AFFINITY),
    _wording(
        r"node\(s\) didn't satisfy plugin[^\[]*\[(?=[^\]]*NodeAffinity)[^\]]*\]", PendingCode.NODE_AFFINITY
    ),
    _wording(
        r"pod affinity terms conflict", PendingCode.NODE_AFFINITY
    ),  # node affinity, in spite of the name
    _wording(r"node\(s\) were unschedulable", PendingCode.CORDONED),
    _wording(r"node\(s\) didn't match pod topology spread.*", PendingCode.TOPOLOGY),
    _wording(r"node\(s\) didn't match pod (?:anti-)?affinity.*", PendingCode.POD_AFFINITY),
    _wording(r"node\(s\) didn't satisfy existing pods.*", PendingCode.POD_AFFINITY),
    _wording(r"node\(s\) didn't have free ports.*", PendingCode.HOST_PORT),
    _wording(r".*persistent ?volume.*", PendingCode.VOLUME),
    _wording(
        r"node\(s\) (?:exceed max volume|had (?:no available )?volume|unavailable due to).*",
        PendingCode.VOLUME,
    ),
    _wording(r"node\(s\) (?:had no available disk|did not have enough free storage).*", PendingCode.VOLUME),
    _wording(r".*\bplugin Volume\w+ .*", PendingCode.VOLUME),
    _wording(r"cannot allocate all claims.*", PendingCode.RESOURCE_CLAIM),
    _wording(r".*resource ?claim.*", PendingCode.RESOURCE_CLAIM),
    _wording(r"waiting for resource claim.*", PendingCode.RESOURCE_CLAIM),
    _wording(r"request .*: device class .*", PendingCode.RESOURCE_CLAIM),
    _wording(r"no nodes available.*|0 nodes are available", PendingCode.NO_NODES),
    _wording(r"No preemption victims found.*", PendingCode.PREEMPTION_IMPOSSIBLE),
    _wording(r"Preemption is not helpful.*", PendingCode.PREEMPTION_IMPOSSIBLE),
    _wording(r"not eligible due to a terminating pod.*", PendingCode.WAITING_FOR_PREEMPTION),
    _wording(r"not eligible due to .*", PendingCode.PREEMPTION_IMPOSSIBLE),
)


@lru_cache(maxsize=1024)
def part(nodes: int, text: str) -> PendingPart:
    """So many nodes said this; a wording that was never seen is OTHER."""
    for pattern, code in _WORDINGS:
        found = pattern.fullmatch(text)
        if found:
            return PendingPart(nodes=nodes, code=code, resource=found.groupdict().get("resource"), text=text)
    return PendingPart(nodes=nodes, code=PendingCode.OTHER, text=text)
