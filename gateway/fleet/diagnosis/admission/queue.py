"""QUEUE: whether the queue that a pod waits in lets it through: Volcano's, or Kueue's."""

from collections.abc import Callable

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.ceiling import over_ceiling
from gateway.fleet.diagnosis.admission.enqueue import above_enqueue_limit
from gateway.fleet.diagnosis.admission.hierarchy import maybe_stopped_by_a_fault, stopped_by_a_fault
from gateway.fleet.diagnosis.admission.judged import Judged, failed, merged, passed, untold
from gateway.fleet.diagnosis.admission.kueue import judge_workload
from gateway.fleet.diagnosis.admission.members import Members, is_volcanos, members_of
from gateway.fleet.diagnosis.admission.missing_everywhere import asks_for_what_no_node_has
from gateway.fleet.diagnosis.admission.quoted import told_by
from gateway.fleet.diagnosis.admission.said import newest
from gateway.fleet.diagnosis.admission.taking_back import cannot_take_back
from gateway.fleet.diagnosis.admission.waiting import Waiting, change
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep
from gateway.fleet.discrepancies.evidence import queues
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.QUEUE
_OPEN = "Open"


def check_queue(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its queue; None: it waits in none."""
    judged = judge_workload(pod, fleet) or (_judged(pod, fleet) if is_volcanos(pod) else None)
    return judged.step(_CHECK) if judged else None


def _judged(pod: Pod, fleet: Fleet) -> Judged | None:
    members = members_of(pod, fleet)
    if not isinstance(members, Members):
        return untold(members) if members else None
    queue = fleet.queue(pod.cluster, members.group.queue_name)
    if isinstance(queue, Unknown):
        return untold(queue)
    if queue is None:
        return _unknown_queue(pod, members.group.queue_name, fleet)
    waiting = Waiting(pod=pod, members=members, queue=queue, fleet=fleet)
    if pod.node_name:
        return passed(f"queue {queue.name} let it through", *waiting.told_of_group())
    return next(filter(None, (rule(waiting) for rule in _RULES)), None)


def _unknown_queue(pod: Pod, name: str, fleet: Fleet) -> Judged:
    at = f"podgroups/{pod.namespace}/{pod.group_name} spec.queue"
    evidence = (
        queues(fleet, pod.cluster, at, name, "podgroups"),
        queues(fleet, pod.cluster, f"queues/{name}", None),
    )
    found = fleet.queues(pod.cluster)
    others = [] if found is None or isinstance(found, Unknown) else sorted(one.name for one in found.values())
    text = (
        f"create queue {name}, or name one that exists: {', '.join(one for one in others if one != 'root')}"
    )
    said = f"queue {name} does not exist: what asks for it waits for ever, and nothing tells so"
    return failed(
        PendingCode.QUEUE_UNKNOWN,
        said,
        evidence,
        Remedy(action=RemedyAction.CHANGE_QUEUE, text=text, subject=pod.id),
    )


def _closed(waiting: Waiting) -> Judged | None:
    """Whether its queue takes nothing in."""
    queue = waiting.queue
    if queue.state == _OPEN:
        return None
    evidence = (waiting.told(f"queues/{queue.name} status.state", queue.state), *waiting.told_of_group())
    if queue.state is None:
        said = f"queue {queue.name} has no state, which counts as closed: no controller of Volcano wrote one"
        remedy = change(queue, "start the controller manager of Volcano, which opens its queues")
    else:
        said = f"queue {queue.name} is {queue.state}: it takes no work in, and nothing tells so"
        remedy = change(queue, f"open queue {queue.name}, or name another one")
    return failed(PendingCode.QUEUE_CLOSED, said, evidence, remedy)


def _full(waiting: Waiting) -> Judged | None:
    """What of the queue's own and of all queues' room is too little; it may be both."""
    found = [one for one in (over_ceiling(waiting), above_enqueue_limit(waiting)) if one]
    return merged(found) if found else None


def _said_at_the_gate(waiting: Waiting) -> Judged | None:
    """What the scheduler said last of a group that it does not let in, where no numbers tell why."""
    if waiting.is_let_in:
        return None
    queue, said = waiting.queue, f"queue {waiting.queue.name} does not let its group in"
    event = newest(f"PodGroup/{waiting.group.name}", waiting.pod, waiting.fleet, *_AT_THE_GATE)
    if event is None:
        why = "nothing tells why" if waiting.group.conditions else "no scheduler has looked at it yet"
        return maybe_stopped_by_a_fault(waiting) or untold(f"{said}: {why}", *waiting.told_of_group())
    reason = read_message(event.message)
    lacking = sorted({one.resource for one in reason.parts if one.resource})
    text = f"end work of queue {queue.name} that holds {' and '.join(lacking) or 'what is lacking'}"
    remedy = Remedy(action=RemedyAction.FREE_WORKLOADS, text=text, subject=queue.id)
    evidence = (told_by(event, waiting.fleet), *waiting.told_of_group())
    return failed(reason.code, f"{said}: {event.message}{_unasked(waiting, lacking)}", evidence, remedy)


def _unasked(waiting: Waiting, lacking: list[str]) -> str:
    """What its queue has too much of counts against work that asks for none, in some releases of Volcano."""
    asked = waiting.asked
    unasked = [] if isinstance(asked, Unknown) else [name for name in lacking if not asked.get(name)]
    return f"; it asks for no {' and no '.join(unasked)}, its queue holds too much of it" if unasked else ""


def _let_in(waiting: Waiting) -> Judged:
    return passed(f"queue {waiting.queue.name} let its group in", *waiting.told_of_group())


_AT_THE_GATE = (PendingCode.QUEUE_FULL, PendingCode.ENQUEUE_LIMIT)
_RULES: tuple[Callable[[Waiting], Judged | None], ...] = (
    stopped_by_a_fault,
    _closed,
    asks_for_what_no_node_has,
    _full,
    _said_at_the_gate,
    cannot_take_back,
    _let_in,
)
"""In the order in which they stop work: what stops the whole cluster before all."""
