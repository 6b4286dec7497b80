"""A resource that no node has: the gate of a queue then refuses, and its words speak of the queue alone."""

from decimal import Decimal

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.judged import Judged, failed
from gateway.fleet.diagnosis.admission.totals import total
from gateway.fleet.diagnosis.admission.waiting import Waiting
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.reasons.reason import PendingCode


def asks_for_what_no_node_has(waiting: Waiting) -> Judged | None:
    """Whether some resource that it asks for is nowhere in the cluster (Volcano to 1.16)."""
    config, asked = waiting.config, waiting.asked
    if waiting.is_let_in and (config is None or config.share_plugin is None):
        return None  # then nodes say so themselves
    names = sorted(name for name, amount in asked.items() if amount) if isinstance(asked, dict) else []
    for name in names:
        if total(waiting.pod.cluster, waiting.fleet, name) == Decimal(0):
            said = (
                f"queue {waiting.queue.name} does not let it in, since no node of the cluster has any {name}"
            )
            return failed(
                PendingCode.INSUFFICIENT_RESOURCE, said, waiting.told_of_group(), _remedy(name, waiting)
            )
    return None


def _remedy(resource: str, waiting: Waiting) -> Remedy:
    if resource.startswith(MIG_PREFIX):
        text = f"cut cards into {resource.removeprefix(MIG_PREFIX)}, or ask for what there is"
        return Remedy(action=RemedyAction.CHANGE_MIG_LAYOUT, text=text)
    text = f"ask for something else than {resource}"
    return Remedy(action=RemedyAction.CHANGE_REQUEST, text=text, subject=waiting.pod.id)
