import pytest

from tests.fleet.scheduling.scenes import expression, node, pod, requires, said

SKEWED = ["node(s) didn't match pod topology spread constraints"]
UNLABELLED = ["node(s) didn't match pod topology spread constraints (missing required label)"]
ALIKE = {"matchLabels": {"app": "llm"}}
LLM = {"app": "llm"}


def spread(**more):
    rule = {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": ALIKE}
    return {"topologySpreadConstraints": [{**rule, **more}]}


def zoned(name, zone, **more):
    return node(name, labels={"zone": zone}, **more)


def runs(name, on, **more):
    return pod(name, on=on, labels=LLM, **more)


NODES = [zoned("a", "x"), zoned("b", "y"), node("c")]


def test_refuses_places_that_hold_too_many_and_nodes_in_none():
    assert said(pod(labels=LLM, **spread()), NODES, [runs("p", "a")]) == {
        "a": SKEWED,
        "b": True,
        "c": UNLABELLED,
    }


def test_a_wider_skew_admits_more():
    assert said(pod(labels=LLM, **spread(maxSkew=2)), NODES, [runs("p", "a")])["a"] is True


def test_a_pod_that_is_not_its_own_like_does_not_count_itself():
    assert said(pod(**spread()), NODES, [runs("p", "a")])["a"] is True


@pytest.mark.parametrize(
    "other",
    [
        runs("p", "a", leaving=True),
        runs("p", "a", namespace="nlp"),
        runs("p", "a", phase="Failed"),
        pod("p", on="a"),
    ],
)
def test_counts_neither_leaving_pods_nor_those_that_are_unlike(other):
    assert said(pod(labels=LLM, **spread()), NODES, [other])["a"] is True


def test_fewer_places_than_asked_count_as_if_one_were_empty():
    ask = pod(labels=LLM, **spread(minDomains=3))

    assert said(ask, NODES, [runs("p", "a"), runs("q", "b")]) == {"a": SKEWED, "b": SKEWED, "c": UNLABELLED}


@pytest.mark.parametrize(("policy", "answer"), [("Honor", True), ("Ignore", SKEWED)])
def test_nodes_that_its_own_affinity_excludes_are_no_place(policy, answer):
    nodes = [zoned("a", "x"), zoned("b", "y")]
    spec = {
        **spread(nodeAffinityPolicy=policy),
        **requires(fields=[expression("metadata.name", "NotIn", "b")]),
    }

    assert said(pod(labels=LLM, **spec), nodes, [runs("p", "a")])["a"] == answer


@pytest.mark.parametrize(("policy", "answer"), [("Honor", True), ("Ignore", SKEWED)])
def test_tainted_nodes_are_no_place_where_taints_are_heeded(policy, answer):
    nodes = [zoned("a", "x"), zoned("b", "y", taints=[{"key": "sick", "effect": "NoSchedule"}])]

    assert said(pod(labels=LLM, **spread(nodeTaintsPolicy=policy)), nodes, [runs("p", "a")])["a"] == answer


def test_only_pods_with_the_same_value_of_a_label_count():
    old, new = {**LLM, "revision": "1"}, {**LLM, "revision": "2"}
    running = pod("p", on="a", labels=old)
    rule = spread(matchLabelKeys=["revision"])

    assert said(pod(labels=new, **rule), NODES, [running])["a"] is True
    assert said(pod(labels=old, **rule), NODES, [running])["a"] == SKEWED


def test_without_a_selector_nothing_counts():
    assert said(pod(labels=LLM, **spread(labelSelector=None)), NODES, [runs("p", "a")])["a"] is True


def test_a_preference_refuses_nobody():
    ask = pod(labels=LLM, **spread(whenUnsatisfiable="ScheduleAnyway"))

    assert said(ask, NODES, [runs("p", "a")]) == {"a": True, "b": True, "c": True}
