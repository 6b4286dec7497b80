import pytest

from tests.fleet.scheduling.scenes import any_of, expression, node, pod, requires, said

REFUSED = ["node(s) didn't match Pod's node affinity/selector"]
ELSEWHERE = ["node(s) didn't satisfy plugin(s) [NodeAffinity]"]
NODES = [
    node("a", labels={"kind": "h100", "memory": "81920"}),
    node("b", labels={"kind": "t4", "memory": "16Gi"}),
]
BARE = node("c")


def fits(spec, nodes=(*NODES, BARE)):
    return "".join(name for name, one in said(pod(**spec), nodes).items() if one is True)


@pytest.mark.parametrize(
    ("requirement", "names"),
    [
        (expression("kind", "In", "h100", "h200"), "a"),
        (expression("kind", "NotIn", "h100"), "bc"),
        (expression("kind", "Exists"), "ab"),
        (expression("kind", "DoesNotExist"), "c"),
        (expression("memory", "Gt", "40000"), "a"),
        (expression("memory", "Gt", "81920"), ""),
        (expression("memory", "Lt", "90000"), "a"),
        (expression("memory", "Gt", "40Gi"), ""),
    ],
)
def test_matches_labels_as_kubernetes_does(requirement, names):
    assert fits(requires(requirement)) == names


def test_one_of_several_terms_is_enough_and_all_of_a_term_must_hold():
    kind, large = expression("kind", "Exists"), expression("memory", "Gt", "40000")
    bare = expression("kind", "DoesNotExist")

    assert fits(any_of({"matchExpressions": [kind, large]}, {"matchExpressions": [bare]})) == "ac"


def test_an_empty_term_matches_nothing_beside_others_too():
    assert fits(any_of({})) == ""
    assert fits(any_of({}, {"matchExpressions": [expression("kind", "In", "t4")]})) == "b"


def test_selector_and_affinity_must_both_match():
    spec = requires(expression("kind", "Exists"))

    assert fits({**spec, "nodeSelector": {"memory": "81920"}}) == "a"
    assert fits({"nodeSelector": {"kind": ""}}) == ""


def test_only_named_nodes_are_looked_at_where_every_term_names_some():
    spec = requires(expression("kind", "Exists"), fields=[expression("metadata.name", "In", "b", "c")])

    assert said(pod(**spec), [node("a", cordoned=True), NODES[1], BARE]) == {
        "a": ELSEWHERE,
        "b": True,
        "c": REFUSED,
    }


def test_a_term_without_names_opens_all_nodes_again():
    named = {"matchFields": [expression("metadata.name", "In", "a")]}

    assert said(
        pod(**any_of(named, {"matchExpressions": [expression("kind", "In", "t4")]})), [*NODES, BARE]
    ) == {
        "a": True,
        "b": True,
        "c": REFUSED,
    }


def test_names_that_contradict_themselves_refuse_every_node():
    fields = [expression("metadata.name", "In", "a"), expression("metadata.name", "In", "b")]

    assert set(map(tuple, said(pod(**requires(fields=fields)), NODES).values())) == {
        ("pod affinity terms conflict",)
    }


def test_a_node_may_be_excluded_by_name():
    assert fits(requires(fields=[expression("metadata.name", "NotIn", "a")])) == "bc"
