"""Shares of queues that cannot be taken back, because deserved leaves something out (docs/reclaim.md)."""

from collections.abc import Iterator

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.discrepancies.evidence import kubernetes, owner, queues
from gateway.fleet.fleet import Fleet
from gateway.fleet.queue import Queue
from gateway.fleet.reclaim.blocks import Block, Side, blocks
from gateway.fleet.reclaim.rules import rules_of
from gateway.fleet.unknown import Unknown

_NEEDED = ((System.KUBERNETES, "pods"), (System.QUEUES, "podgroups"), (System.QUEUES, "scheduler"))


def deserved_incomplete(fleet: Fleet) -> Iterator[Finding]:
    """Reclaim does not work as meant, for the release that runs."""
    for cluster in fleet.clusters:
        found = fleet.queues(cluster)
        is_silent = any(fleet.silence(system, cluster, kind) for system, kind in _NEEDED)
        if found is None or isinstance(found, Unknown) or is_silent:
            continue
        for name, blocked in blocks(cluster, fleet).items():
            for block in blocked:
                yield _finding(found[cluster, name], block, fleet)


def _finding(queue: Queue, block: Block, fleet: Fleet) -> Finding:
    missing, resources = ", ".join(block.missing), ", ".join(block.resources)
    now = "now" if block.is_asked_now else "when it is asked for"
    if block.side is Side.ASKER:
        said = f"queue {queue.name} cannot take back its {resources} {now}: its deserved lacks {missing}"
    else:
        said = (
            f"others cannot take back {resources} from queue {queue.name} {now}: its deserved lacks {missing}"
        )
    remedy = f"list {missing} in deserved of {queue.name}; 0 counts as listed, but for cpu and memory"
    return Finding(
        kind=AlertKind.DESERVED_INCOMPLETE,
        severity=Severity.CRITICAL if block.is_asked_now else Severity.WARNING,
        subject=queue.id,
        subject_name=queue.name,
        cluster=queue.cluster,
        tenant=owner(queue, fleet),
        message=said,
        claim=queues(fleet, queue.cluster, f"queues/{queue.name} spec.deserved", _written(queue)),
        evidence=(
            kubernetes(
                fleet, queue.cluster, f"resources of the pods of queue {queue.name}", resources, "pods"
            ),
            queues(fleet, queue.cluster, "scheduler", _scheduler(queue.cluster, fleet), "scheduler"),
        ),
        remedies=(Remedy(action=RemedyAction.CHANGE_QUEUE, text=remedy, subject=queue.id),),
        detail=block.side.value,
    )


def _written(queue: Queue) -> str | None:
    if queue.deserved is None:
        return None
    return ", ".join(f"{one.resource} {one.text}" for one in queue.deserved)


def _scheduler(cluster: str, fleet: Fleet) -> str | None:
    words = rules_of(fleet.scheduler(cluster)).scheduler
    return None if isinstance(words, Unknown) else words
