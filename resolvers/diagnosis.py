"""Why a pod waits, and what to change so that it runs."""

import strawberry

from gateway.fleet.diagnosis.diagnosis import Diagnosis
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.pod import Pod
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown
from resolvers.context import Info
from resolvers.paging import Asked, Page
from resolvers.verdict import count_judged, verdict_page


def of_pod(pod: strawberry.Parent[Pod], info: Info) -> Diagnosis | Unknown:
    """Why it waits and what to change so it runs: the checks an engineer makes, in their order."""
    fleet = info.context.fleet
    silent = first_unknown(fleet.pods(pod.cluster))
    if silent:
        return silent
    count_judged(info.context, len(fleet.listings.nodes.group("cluster", pod.cluster)), "diagnosis")
    return diagnose(pod, fleet)


def nodes(
    diagnosis: strawberry.Parent[Diagnosis],
    first: int = 50,
    after: str | None = None,
    fits: bool | None = None,  # noqa: FBT001 - an argument of the contract
) -> Page[JudgedNode]:
    """What every machine that its scheduler sees says of it, by name; fits: only those that do, or do not."""
    asked = Asked(first=first, after=after, scope=("diagnosis", diagnosis.pod.id, fits))
    return verdict_page(diagnosis.nodes, fits, asked, diagnosis.silent)
