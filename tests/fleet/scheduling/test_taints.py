import pytest

from tests.fleet.scheduling.scenes import node, pod, said

TAINT = {"key": "team", "value": "vision", "effect": "NoSchedule"}
REFUSED = ["node(s) had untolerated taint(s)"]


def one(ask, *taints, **more):
    return said(ask, [node(taints=taints, **more)])["gpu-01"]


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"key": "team", "operator": "Equal", "value": "vision", "effect": "NoSchedule"}, True),
        ({"key": "team", "value": "vision"}, True),  # no operator is Equal, no effect is every effect
        ({"key": "team", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "team", "value": "Vision"}, False),
        ({"key": "team"}, False),
        ({"key": "teams", "operator": "Exists"}, False),
        ({"key": "team", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "team", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 0}, True),
    ],
)
def test_tolerates_by_key_value_and_effect_exactly(toleration, fits):
    assert one(pod(tolerations=[toleration]), TAINT) == (fits or REFUSED)


@pytest.mark.parametrize(
    ("operator", "value", "fits"),
    [
        ("Gt", "4", True),
        ("Gt", "5", False),
        ("Lt", "6", True),
        ("Lt", "5", False),
        ("Gt", "four", False),
        ("Gt", "04", False),
    ],
)
def test_compares_a_taint_as_an_integer(operator, value, fits):
    tolerations = [{"key": "level", "operator": operator, "value": value}]
    taint = {"key": "level", "value": "5", "effect": "NoSchedule"}

    assert one(pod(tolerations=tolerations), taint) == (fits or REFUSED)


def test_an_operator_that_is_not_known_tolerates_nothing():
    assert one(pod(tolerations=[{"key": "team", "operator": "Like", "value": "vision"}]), TAINT) == REFUSED


def test_equal_without_a_value_tolerates_a_taint_without_one():
    assert one(pod(tolerations=[{"key": "team"}]), {"key": "team", "effect": "NoExecute"}) is True


def test_a_preference_keeps_nobody_away():
    assert one(pod(), {"key": "team", "effect": "PreferNoSchedule"}) is True


def test_one_toleration_does_not_help_against_another_taint():
    tolerations = [{"key": "team", "operator": "Exists"}]

    assert one(pod(tolerations=tolerations), TAINT, {"key": "sick", "effect": "NoExecute"}) == REFUSED


def test_a_cordon_is_told_before_taints():
    assert one(pod(), TAINT, cordoned=True) == ["node(s) were unschedulable"]


@pytest.mark.parametrize(
    ("effect", "fits"), [("NoSchedule", True), (None, True), ("NoExecute", ["node(s) were unschedulable"])]
)
def test_a_pod_may_tolerate_a_cordon(effect, fits):
    tolerations = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": effect}]

    assert one(pod(tolerations=tolerations), cordoned=True) == fits


def test_the_taint_of_a_cordon_without_the_cordon_is_a_taint():
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}

    assert one(pod(), taint) == REFUSED
