"""The limit of all queues together: what is in use and what was let in stay below 1.2 of the cluster's total.

The plugin overcommit of Volcano (to 1.16) with the factor that it ships with. Who names no least passes.
"""

from decimal import Decimal

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.cluster import cluster_id
from gateway.fleet.diagnosis.admission.judged import Judged, failed, untold
from gateway.fleet.diagnosis.admission.promised import let_in
from gateway.fleet.diagnosis.admission.totals import total, used
from gateway.fleet.diagnosis.admission.waiting import NONE, Waiting
from gateway.fleet.quantity import write_decimal
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import Unknown

_FACTOR = Decimal("1.2")
_MOST_NAMED = 3


def above_enqueue_limit(waiting: Waiting) -> Judged | None:
    """Whether its group asks for more than all queues together may still let in."""
    asked = waiting.asked
    if waiting.is_let_in:
        return None
    if isinstance(asked, Unknown):
        return untold(asked)
    found = (_of_resource(name, amount, waiting) for name, amount in sorted(asked.items()) if amount)
    return next(filter(None, found), None)


def _of_resource(resource: str, amount: Decimal, waiting: Waiting) -> Judged | None:
    cluster, fleet = waiting.pod.cluster, waiting.fleet
    has, taken = total(cluster, fleet, resource), used(cluster, fleet, resource)
    groups = let_in(cluster, fleet, resource)
    if isinstance(has, Unknown) or isinstance(taken, Unknown) or isinstance(groups, Unknown):
        return untold(next(one for one in (has, taken, groups) if isinstance(one, Unknown)))
    promised = sum((least for _, least in groups), NONE)
    over = taken + promised + amount - has * _FACTOR
    if over <= 0 or not has:
        return None
    numbers = [write_decimal(one) for one in (has * _FACTOR, has, taken, promised, amount)]
    at = f"podgroups/{waiting.group.namespace}/{waiting.group.name} spec.minResources[{resource}]"
    return failed(
        PendingCode.ENQUEUE_LIMIT,
        "all queues together may hold {} {}, 1.2 of the cluster's {}: {} are in use, {} are let in and not "
        "placed, {} more are asked for".format(numbers[0], resource, *numbers[1:]),
        (waiting.told(at, numbers[-1], "podgroups"), *waiting.told_of_group()),
        *_remedies(resource, over, [f"{group.namespace}/{group.name}" for group, _ in groups], cluster),
    )


def _remedies(resource: str, over: Decimal, promised: list[str], cluster: str) -> list[Remedy]:
    texts = [f"end work that holds {write_decimal(over)} {resource}"]
    if promised:
        names = ", ".join(sorted(promised)[:_MOST_NAMED])
        texts.append(f"or withdraw what was let in and cannot be placed, whatever it waits for: {names}")
    action, subject = RemedyAction.FREE_WORKLOADS, cluster_id(cluster)
    return [Remedy(action=action, text=text, subject=subject) for text in texts]
