"""What is said of every pod and group that waits in what real schedulers of Volcano left behind."""

from dataclasses import replace

import pytest

from gateway.fleet.pending.kept import SaidNow
from gateway.fleet.pending.over import SETTLED
from gateway.fleet.pending.reason import ReasonsAsked
from gateway.fleet.reasons.reason import PendingCode
from tests.builders import CLUSTER
from tests.recorded_volcano import recorded

LACKS, GANG = PendingCode.INSUFFICIENT_RESOURCE, PendingCode.GANG_NOT_READY
FULL, LIMIT, GATED = PendingCode.QUEUE_FULL, PendingCode.ENQUEUE_LIMIT, PendingCode.SCHEDULING_GATED
ELSEWHERE, SLOTS, RELEASING = PendingCode.NODE_AFFINITY, PendingCode.TOO_MANY_PODS, PendingCode.RELEASING
PREDICATES = {
    "affinity any-gpu big-memory cordon-only full-only no-such-label tainted-only": {LACKS},
    "full-only-cpu nodename-gone": {SLOTS},
    "pvc": {PendingCode.VOLUME},
    "spread": {PendingCode.TOPOLOGY},
    "podaffinity": {PendingCode.POD_AFFINITY},
}
OVER_CAPABILITY = {"notebook tts-0 tts-1": {FULL, GANG}, "eval-0": {GANG}}
RECORDED = {
    "gang-no-minresources": {"llm-0 llm-1": {LACKS}, "llm-2 llm-3": {GANG, LACKS}},
    "gang-overcommit": {"llm-0 llm-1 llm-2 llm-3": {LIMIT, GANG}},
    "gang-partial": {"llm-0 llm-1 llm-3": {GANG, LACKS}, "llm-2": {LACKS}},
    "gang-partial-default-actions": {"llm-0 llm-2 llm-3": {GANG, LACKS}, "llm-1": {LACKS}},
    "gang-pod-deleted": {"llm-0 llm-1 llm-2": {GANG}, "quota": {LIMIT, GANG}},
    "gang-running": {},
    "gates-and-short-gangs": {
        "PodGroup/empty mixed-0 roles-w0 roles-w1 short-0 short-1": {GANG},
        "gated mixed-1": {GANG, GATED},
    },
    "hierarchy": {"s-over-0": {LIMIT, GANG, FULL}},
    "hierarchy-badparent": {"s-over-0": {LIMIT, GANG}, "after": {GANG}},
    "hierarchy-nonleaf": {"nonleaf s-over-0": {LIMIT, GANG}, "after": {GANG}},
    "mapping": {
        "no-such-group": set(),
        "grouped-0": {GANG},
        "PodGroup/mpi-wait-5d30f38e-fa4b-41c5-93ac-bd5a91f54706": {LIMIT, GANG},
    },
    "mig-missing": {
        "gang-mig-0 gang-mig-1 gang-mig-2 gpu-and-mig none-has-it runs two-missing": {LIMIT, GANG},
        "cpu-and-gpu too-many-1g": {LACKS},
    },
    "mig-missing-no-overcommit": {
        "gang-mig-0 gang-mig-1": {GANG, LACKS},
        "cpu-and-gpu gang-mig-2 too-many-1g": {LACKS},
        "gpu-and-mig none-has-it two-missing": {FULL, GANG},
    },
    "mig-missing-no-queue-plugin": {"one two": {LACKS}},
    "over-capability-capacity": OVER_CAPABILITY,
    "over-capability-proportion": OVER_CAPABILITY,
    "v1130-over-capability": OVER_CAPABILITY,
    "podgroup-phases": {"PodGroup/broken PodGroup/failed PodGroup/part": {GANG}},
    "predicates": PREDICATES,
    "v1130-predicates": PREDICATES,
    "preempt-done": {},
    "preempt-never": {"polite": {LACKS}},
    "preempt-waiting": {"urgent": {GANG, RELEASING}},
    "queue-closed": {"late-1 late-2 late-gang-0 late-gang-1": {GANG}},
    "queue-missing": {"lost-gang-0 lost-gang-1 lost-pod": set()},
    "queue-without-controller": {"bare": set(), "grp-0 grp-1": {GANG}},
    "reclaim-ask-over-overcommit": {"infer-0": {LIMIT, GANG}},
    "reclaim-beyond-gpu-share": {},
    "reclaim-borrower-no-gpu": {"infer-0": {LACKS}},
    "reclaim-breaks-gang": {"PodGroup/sweep": {GANG}},
    "reclaim-cpu-bound-gpu-only": {"infer-0": {LACKS}},
    "reclaim-full": {},
    "reclaim-gpu-only": {},
    "reclaim-guarantees-eat-total": {"infer-0": {LIMIT, GANG, FULL}},
    "reclaim-mig-listed-zero": {},
    "reclaim-mig-not-listed": {"infer-0": {LACKS}},
    "reclaim-owner-empty": {"infer-0": {LACKS}},
    "reclaim-proportion": {},
    "terminating": {"PodGroup/broken PodGroup/failed": {GANG}},
    "v1130-reclaim-full": {},
    "v1130-reclaim-gpu-only": {"infer-0": {LACKS}},
    "v1130-reclaim-owner-no-gpu": {"infer-0": {LACKS}},
    "vcjob-roles": {
        "half-worker-0 half-worker-1 half-worker-2": {ELSEWHERE},
        "wrong-zone-worker-0 wrong-zone-worker-1 wrong-zone-worker-2": {ELSEWHERE},
        "half-master-0": {GANG, ELSEWHERE},
    },
}


@pytest.mark.parametrize("name", RECORDED)
def test_of_all_that_waits_it_is_told_why_and_of_what_was_placed_nothing(name):
    expected = {who: codes for names, codes in RECORDED[name].items() for who in names.split()}
    assert told(at_its_end(recorded(name))) == expected


def at_its_end(fleet):
    """The fleet soon after the last event was written."""
    return replace(fleet, now=max(event.last_seen for event in fleet.events(CLUSTER)) + 2 * SETTLED)


def told(fleet):
    """Of each pod that waits, its own reasons and its group's; of what has no such pods, its own."""
    codes = said_of(fleet)
    names = {}
    for pod in fleet.pods(CLUSTER).values():
        if pod.node_name is None and not pod.ended:
            names[pod.name] = {pod.uid, getattr(fleet.pod_group(pod), "uid", "")}
    shown = set().union(*names.values())
    others = {who: {uid} for uid, (who, _) in codes.items() if uid not in shown}
    return {
        who: set().union(*(codes[uid][1] for uid in uids if uid in codes))
        for who, uids in (names | others).items()
    }


def said_of(fleet):
    """The names and codes of all of whom something is said, by uid."""
    asked = ReasonsAsked(cluster=CLUSTER, namespaces=None, subjects=None, before=None, limit=500)
    codes = {}
    for reason in SaidNow(fleet).page(asked).reasons:
        of = codes.setdefault(reason.key.subject, (reason.pod_name or reason.controller, set()))
        of[1].add(reason.code)
    return codes
