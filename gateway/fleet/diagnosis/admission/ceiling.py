"""Whether what a pod and its group ask for is more than their queue may still hold."""

from dataclasses import replace
from decimal import Decimal

from gateway.errors import System
from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.ceilings import Ceiling, ceilings
from gateway.fleet.diagnosis.admission.judged import Judged, failed, merged, untold
from gateway.fleet.diagnosis.admission.promised import promised
from gateway.fleet.diagnosis.admission.waiting import NONE, Waiting, amounts_of
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.platform import PlatformRecords, Workspace
from gateway.fleet.quantity import write_decimal
from gateway.fleet.queue import Queue
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import Unknown, undetermined


def over_ceiling(waiting: Waiting) -> Judged | None:
    """Whether what is asked for is more than a queue above it may still hold."""
    config, asked = waiting.config, waiting.asked
    if config is not None and config.share_plugin is None:
        return None
    if isinstance(asked, Unknown):
        return untold(asked)
    found = [_judged(one, asked.get(one.resource, NONE), waiting) for one in ceilings(waiting, asked)]
    over = [one for one in found if one is not None]
    return merged(over) if over else None


def _judged(ceiling: Ceiling, asked: Decimal, waiting: Waiting) -> Judged | None:
    queue, resource, held = ceiling.queue, ceiling.resource, _held(ceiling, waiting)
    if isinstance(held, Unknown):
        return untold(held, *ceiling.evidence)
    over = held + asked - ceiling.most
    if not asked or over <= 0:
        return None
    words = "are held" if waiting.is_let_in else "are held or promised"
    text = next((one.text for one in queue.allocated or () if one.resource == resource), None)
    allocated = waiting.told(f"queues/{queue.name} status.allocated[{resource}]", text)
    return failed(
        PendingCode.QUEUE_FULL,
        f"{ceiling.said}: {write_decimal(held)} {words}, {write_decimal(asked)} more are asked for",
        (*ceiling.evidence, allocated, *waiting.told_of_group()),
        *_remedies(ceiling, over, waiting),
    )


def _held(ceiling: Ceiling, waiting: Waiting) -> Decimal | Unknown:
    """What a queue holds, and before the gate also what it let in and did not place."""
    if ceiling.queue.allocated is None:
        return undetermined(System.QUEUES, f"queue {ceiling.queue.name} does not say what is allocated")
    allocated = amounts_of(ceiling.queue.allocated)
    if isinstance(allocated, Unknown) or waiting.is_let_in:
        return allocated if isinstance(allocated, Unknown) else allocated.get(ceiling.resource, NONE)
    more = promised(ceiling.queue, waiting.fleet, ceiling.resource)
    return more if isinstance(more, Unknown) else allocated.get(ceiling.resource, NONE) + more


def _remedies(ceiling: Ceiling, over: Decimal, waiting: Waiting) -> list[Remedy]:
    """Each would do by itself."""
    queue, amount = ceiling.queue, f"{write_decimal(over)} {ceiling.resource}"
    text = f"end work of queue {queue.name} that holds {amount}"
    free = Remedy(action=RemedyAction.FREE_WORKLOADS, text=text, subject=queue.id)
    given = [
        Remedy(
            action=RemedyAction.RAISE_ALLOCATION,
            text=f"give workspace {one.name} of {one.tenant_name} {amount} more",
            subject=one.id,
        )
        for one in _workspaces(queue, waiting)
        if is_gpu_resource(ceiling.resource)
    ]
    ways = [*ceiling.remedies, free, *given]
    return [ways[0], *(replace(one, text=f"or {one.text}") for one in ways[1:])]


def _workspaces(queue: Queue, waiting: Waiting) -> list[Workspace]:
    platform = waiting.fleet.platform
    spaces = platform.workspaces.values() if isinstance(platform, PlatformRecords) else ()
    at = (queue.cluster, queue.name)
    return [one for one in spaces if (one.cluster_name, one.queue_name) == at]
