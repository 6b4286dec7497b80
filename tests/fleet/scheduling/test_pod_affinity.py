import pytest

from tests.fleet.scheduling.scenes import node, pod, pod_terms, said

NOT_WITH = ["node(s) didn't match pod affinity rules"]
TOO_NEAR = ["node(s) didn't match pod anti-affinity rules"]
SHUNNED = ["node(s) didn't satisfy existing pods anti-affinity rules"]
NODES = [
    node("a", labels={"rack": "1"}),
    node("b", labels={"rack": "1"}),
    node("c", labels={"rack": "2"}),
    node("d"),
]


def term(key="rack", app="db", **more):
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}, **more}


def runs(name="p", on="a", app="db", **more):
    return pod(name, on=on, labels={"app": app}, **more)


def test_must_be_where_such_a_pod_is():
    ask = pod(**pod_terms("podAffinity", term()))

    assert said(ask, NODES, [runs()]) == {"a": True, "b": True, "c": NOT_WITH, "d": NOT_WITH}


def test_one_pod_must_match_every_term():
    ask = pod(**pod_terms("podAffinity", term(), term(app="cache")))

    assert said(ask, NODES, [runs(), runs("q", app="cache")])["a"] == NOT_WITH


def test_the_first_of_a_group_that_wants_to_be_together_may_go_anywhere():
    spec = pod_terms("podAffinity", term())

    assert said(pod(labels={"app": "db"}, **spec), NODES) == {"a": True, "b": True, "c": True, "d": NOT_WITH}
    assert said(pod(**spec), NODES)["a"] == NOT_WITH


def test_must_not_be_where_such_a_pod_is():
    ask = pod(**pod_terms("podAntiAffinity", term()))

    assert said(ask, NODES, [runs()]) == {"a": TOO_NEAR, "b": TOO_NEAR, "c": True, "d": True}


def test_is_kept_away_by_pods_that_run():
    running = runs(**pod_terms("podAntiAffinity", term(app="web")))

    assert said(pod(labels={"app": "web"}), NODES, [running]) == {
        "a": SHUNNED,
        "b": SHUNNED,
        "c": True,
        "d": True,
    }
    assert said(pod(labels={"app": "db"}), NODES, [running])["a"] is True


@pytest.mark.parametrize(("more", "answer"), [({"leaving": True}, True), ({"phase": "Succeeded"}, NOT_WITH)])
def test_pods_count_until_they_ended(more, answer):
    ask = pod(**pod_terms("podAffinity", term()))

    assert said(ask, NODES, [runs(**more)])["b"] == answer


@pytest.mark.parametrize(
    ("where", "answer"),
    [
        ({}, True),  # its own namespace alone
        ({"namespaces": ["data"]}, TOO_NEAR),
        ({"namespaceSelector": {}}, TOO_NEAR),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "data"}}}, TOO_NEAR),
        ({"namespaceSelector": {"matchLabels": {"tier": "gold"}}}, TOO_NEAR),
        ({"namespaceSelector": {"matchLabels": {"tier": "tin"}}}, True),
    ],
)
def test_looks_in_the_namespaces_that_it_names(where, answer):
    ask = pod(**pod_terms("podAntiAffinity", term(**where)))
    namespaces = {"data": {"kubernetes.io/metadata.name": "data", "tier": "gold"}}

    assert said(ask, NODES, [runs(namespace="data")], namespaces)["a"] == answer


def test_does_not_look_in_its_own_namespace_where_it_names_others():
    ask = pod(**pod_terms("podAntiAffinity", term(namespaces=["data"])))

    assert said(ask, NODES, [runs()])["a"] is True


@pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
def test_never_guesses_where_labels_of_namespaces_decide_and_are_not_known(kind):
    ask = pod(**pod_terms(kind, term(namespaceSelector={"matchLabels": {"tier": "gold"}})))

    assert said(ask, NODES, [runs(namespace="data")])["a"] is None


def test_never_guesses_whether_a_running_pod_means_this_one():
    running = runs(
        **pod_terms("podAntiAffinity", term(app="web", namespaceSelector={"matchLabels": {"tier": "gold"}}))
    )

    assert said(pod(labels={"app": "web"}), NODES, [running])["c"] is None
    assert said(pod(labels={"app": "other"}), NODES, [running])["c"] is True
