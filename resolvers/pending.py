"""Why work waits or waited, from the database: one question for all that a request asks."""

from collections.abc import Sequence

import strawberry
from strawberry.dataloader import DataLoader

from gateway.errors import Invalid, System
from gateway.fleet.cluster import Cluster
from gateway.fleet.event import EVENTS
from gateway.fleet.fleet import Fleet
from gateway.fleet.kueue import WORKLOADS
from gateway.fleet.pending.kept import REASONS, SaidNow
from gateway.fleet.pending.reason import PendingReason, Reasons, ReasonsAsked
from gateway.fleet.platform import Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Context, Info
from resolvers.paging import Asked, Page, number_after, page_of

_MOST_REASONS = 10_000
_SPEAKING = (
    (System.KUBERNETES, "pods"),
    (System.KUBERNETES, EVENTS),
    (System.KUBERNETES, WORKLOADS),
    (System.QUEUES, "podgroups"),
)


async def of_pod(
    pod: strawberry.Parent[Pod], info: Info, first: int = 20, after: str | None = None
) -> Page[PendingReason] | Unknown:
    """Why it waits or waited, its group's reasons too; kept after Kubernetes forgets, newest first."""
    group = info.context.fleet.pod_group(pod)
    if isinstance(group, Unknown):
        return group
    subjects = (pod.uid, group.uid) if group and group.uid else (pod.uid,)
    asked = Asked(first=first, after=after, scope=("reasons", pod.id))
    return await _page(asked, info, pod.cluster, (pod.namespace,), subjects)


async def of_workspace(
    workspace: strawberry.Parent[Workspace], info: Info, first: int = 50, after: str | None = None
) -> Page[PendingReason] | Unknown:
    """Why work in its namespaces waits or waited, newest first."""
    asked = Asked(first=first, after=after, scope=("reasons", workspace.id))
    return await _page(asked, info, workspace.cluster_name, workspace.namespaces, None)


async def of_cluster(
    cluster: strawberry.Parent[Cluster],
    info: Info,
    first: int = 50,
    after: str | None = None,
    namespaces: list[str] | None = None,
) -> Page[PendingReason] | Unknown:
    """Why work of these namespaces waits or waited, those without a workspace too, newest first."""
    asked = Asked(first=first, after=after, scope=("reasons", cluster.id, namespaces))
    wanted = None if namespaces is None else tuple(namespaces)
    return await _page(asked, info, cluster.name, wanted, None)


def pod(reason: strawberry.Parent[PendingReason], info: Info) -> Maybe[Pod]:
    """The very pod; null where it is gone, or never came to be."""
    if reason.pod_name is None:
        return None
    pods = info.context.fleet.pods(reason.key.cluster)
    if isinstance(pods, Unknown):
        return pods
    found = pods.get((reason.key.cluster, reason.namespace, reason.pod_name))
    return found if found is not None and found.uid == reason.key.subject else None


async def _page(
    asked: Asked,
    info: Info,
    cluster: str,
    namespaces: tuple[str, ...] | None,
    subjects: tuple[str, ...] | None,
) -> Page[PendingReason] | Unknown:
    wanted = ReasonsAsked(
        cluster=cluster,
        namespaces=namespaces,
        subjects=subjects,
        before=number_after(asked),
        limit=asked.first + 1,
    )
    found = await _found(wanted, info.context)
    if isinstance(found, Unknown):
        return found
    return page_of([((str(one.number),), one) for one in found.reasons], asked, found.total)


async def _found(wanted: ReasonsAsked, context: Context) -> Reasons | Unknown:
    if context.archive is None:
        return _deaf(wanted.cluster, context.fleet) or _said(context).page(wanted)
    silent = context.fleet.silence(*REASONS)
    return silent or await _loader(context).load(wanted)


def _said(context: Context) -> SaidNow:
    if context.said is None:
        context.said = SaidNow(context.fleet)
    return context.said


def _deaf(cluster: str, fleet: Fleet) -> Unknown | None:
    """Why not all can be heard that is said now; what is silent may say that something waits."""
    silences = (fleet.silence(system, cluster, kind) for system, kind in _SPEAKING)
    return next((silent for silent in silences if silent), None)


def _loader(context: Context) -> DataLoader[ReasonsAsked, Reasons]:
    """Gathers what is asked at the same time."""
    archive = context.archive

    async def load(asked: list[ReasonsAsked]) -> Sequence[Reasons]:
        rows = sum(one.limit - 1 for one in asked)  # one more of each tells whether there is a next page
        if rows > _MOST_REASONS:
            raise Invalid(
                f"pendingReasons: {rows:,} are more than {_MOST_REASONS:,}: ask for fewer at a time"
            )
        return await archive.reasons(asked) if archive else ()

    if context.reasons is None:
        context.reasons = DataLoader(load_fn=load)
    return context.reasons
