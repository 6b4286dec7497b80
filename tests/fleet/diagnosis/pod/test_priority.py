from tests.fleet.diagnosis.pod.cases import GPU, PASS, UNKNOWN, WARN, advice, checks, diagnosed, step, told
from tests.fleet.scheduling.scenes import node, pod

LOW = [pod("low", on="a", asks={GPU: "8"}, priority=1)]
HIGH = [pod("high", on="a", asks={GPU: "8"}, priority=9)]


def ask(**spec):
    return pod(asks={GPU: "8"}, **{"priority": 5, **spec})


def test_its_scheduler_makes_room_and_that_is_all_there_is_to_do():
    diagnosis = diagnosed(ask(), [node("a")], LOW)

    found = step(diagnosis, "PRIORITY")
    assert (found.outcome, found.finding) == (
        PASS,
        "evicting pods of lower priority than 5 makes room, on a for one",
    )
    assert diagnosis.code.value == "WAITING_FOR_PREEMPTION"
    assert advice(diagnosis) == [
        ("WAIT", "wait: kube-scheduler evicts pods of lower priority from a; then it fits there")
    ]


def test_nothing_lower_is_there():
    found = step(diagnosed(ask(), [node("a")], HIGH), "PRIORITY")

    assert (found.outcome, found.finding) == (
        WARN,
        "evicting pods of lower priority than 5 would make room nowhere",
    )


def test_it_may_not_evict():
    diagnosis = diagnosed(ask(preemptionPolicy="Never", priorityClassName="batch"), [node("a")], LOW)

    found = step(diagnosis, "PRIORITY")
    assert (found.outcome, found.finding) == (
        WARN,
        "it may not evict anybody: its preemptionPolicy is Never",
    )
    assert told(found) == {
        "pods/vision/ask spec.priority": "5",
        "pods/vision/ask spec.priorityClassName": "batch",
        "pods/vision/ask spec.preemptionPolicy": "Never",
    }
    assert [one.action.value for one in diagnosis.remedies] == ["FREE_WORKLOADS"]


def test_evicting_helps_nobody_behind_a_taint():
    tainted = node("a", taints=[{"key": "team", "effect": "NoSchedule"}])

    assert step(diagnosed(ask(), [tainted], LOW), "PRIORITY").outcome is WARN


def test_nobody_is_evicted_where_it_fits():
    found = step(diagnosed(ask(), [node("a"), node("b")], LOW), "PRIORITY")

    assert (found.outcome, found.finding) == (PASS, "nobody needs to be evicted for it")


def test_what_is_not_modelled_leaves_it_open():
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]

    assert step(diagnosed(ask(volumes=volumes), [node("b")]), "PRIORITY").outcome is UNKNOWN


def test_another_scheduler_has_rules_of_its_own():
    assert "PRIORITY" not in checks(diagnosed(ask(schedulerName="volcano"), [node("a")], LOW))
