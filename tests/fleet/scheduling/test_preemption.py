import pytest

from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.preemption import preemption, prospect
from gateway.fleet.scheduling.verdict import verdicts
from tests.fleet.scheduling.scenes import node, pod, view

GPU = "nvidia.com/gpu"
WAITS, HOPELESS = PendingCode.WAITING_FOR_PREEMPTION, PendingCode.PREEMPTION_IMPOSSIBLE


def told(ask, nodes, pods):
    cluster = view(nodes, pods)
    said = verdicts(ask, cluster)
    reasons = [reason.text for one in said for reason in prospect(ask, one, cluster).reasons]
    return preemption(ask, said, cluster), reasons


@pytest.mark.parametrize(
    ("ask", "held", "answer"),
    [
        ({"priority": 10}, {"priority": 5}, (WAITS, [])),
        ({"priority": 10}, {}, (WAITS, [])),
        ({"priority": 10}, {"priority": 5, "leaving": True}, (WAITS, [])),
        ({"priority": 5}, {"priority": 5}, (HOPELESS, ["No preemption victims found for incoming pod"])),
        (
            {"priority": 10, "preemptionPolicy": "Never"},
            {"priority": 5},
            (HOPELESS, ["not eligible due to preemptionPolicy=Never"]),
        ),
    ],
)
def test_evicts_only_pods_of_lower_priority(ask, held, answer):
    assert (
        told(pod(asks={GPU: "8"}, **ask), [node()], [pod("held", on="gpu-01", asks={GPU: "1"}, **held)])
        == answer
    )


def test_is_no_help_where_the_node_is_too_small_or_refuses_for_good():
    ask = pod(asks={GPU: "9"}, priority=10)

    assert told(ask, [node("a"), node("b", cordoned=True)], [pod("held", on="a", asks={GPU: "1"})]) == (
        HOPELESS,
        ["Preemption is not helpful for scheduling"] * 2,
    )


def test_tells_what_is_still_short_once_the_lower_ones_are_gone():
    holders = [
        pod("low", on="gpu-01", asks={GPU: "1"}),
        pod("high", on="gpu-01", asks={GPU: "2"}, priority=50),
    ]

    assert told(pod(asks={GPU: "7"}, priority=10), [node()], holders) == (HOPELESS, [f"Insufficient {GPU}"])


def test_never_guesses_where_a_node_is_not_judged():
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]

    assert told(pod(volumes=volumes), [node()], []) == (None, [])
