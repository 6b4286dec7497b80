"""Why a pod waits, and what to change so that it runs."""

import strawberry

from gateway.errors import Invalid
from gateway.fleet.diagnosis.diagnosis import Diagnosis
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.pod import Pod
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown
from resolvers.context import Context, Info
from resolvers.paging import Asked, Page
from resolvers.verdict import verdict_page

_MOST_JUDGED = 50_000


def of_pod(pod: strawberry.Parent[Pod], info: Info) -> Diagnosis | Unknown:
    """Why it waits and what to change so it runs: the checks an engineer makes, in their order."""
    fleet = info.context.fleet
    silent = first_unknown(fleet.pods(pod.cluster))
    if silent:
        return silent
    _count(info.context, len(fleet.listings.nodes.group("cluster", pod.cluster)))
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


def _count(context: Context, nodes: int) -> None:
    """Each pod is judged on every node: a list of pods must not keep every other caller waiting."""
    context.judged_nodes += nodes
    if context.judged_nodes > _MOST_JUDGED:
        raise Invalid(
            f"diagnosis: one request judges at most {_MOST_JUDGED:,} nodes for all of its pods, "
            f"and a pod of this cluster takes {nodes:,}: ask for fewer pods at a time"
        )
