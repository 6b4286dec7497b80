import copy
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import SourceMisread
from gateway.sources.kubernetes.nodes import nodes
from gateway.sources.kubernetes.objects import read_event, read_head, read_item, read_page, subject
from gateway.sources.kubernetes.pods import pods
from gateway.sources.volcano.podgroups import pod_groups
from gateway.sources.volcano.queues import queues
from tests.sources.kubernetes.reading import RECORDINGS

KINDS = {
    "kubernetes/f11-mixed-mig/nodes.json": nodes("fleet"),
    "kubernetes/f16-zoo/pods.json": pods("fleet"),
    "volcano/gang-running-queues.json": queues("fleet"),
    "volcano/podgroup-phases-podgroups.json": pod_groups("fleet"),
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


def places(value, path=()):
    """Every path in a document."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*path, step)
        yield from places(inner, (*path, step))


def with_value(body, path, value):
    changed = copy.deepcopy(body)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return changed


@pytest.mark.parametrize("recording", KINDS)
@given(data=st.data())
def test_whatever_stands_in_an_object_it_is_read_or_named(recording, data):
    bodies = json.loads((RECORDINGS / recording).read_text())["items"]
    body = data.draw(st.sampled_from(bodies))
    path = data.draw(st.sampled_from(list(places(body))))
    odd = with_value(body, path, data.draw(JSON))
    item = read_item(KINDS[recording], msgspec.Raw(json.dumps(odd).encode()), "key", "subject")
    assert (item.key, item.subject) == ("key", "subject")
    assert item.record is not None or item.problems


def test_an_object_that_cannot_be_read_is_named_with_its_beginning():
    item = read_item(
        nodes("fleet"), msgspec.Raw(b'{"metadata": {}, "pad": "' + b"x" * 500 + b'"}'), "k", "nodes/k"
    )
    assert item.record is None
    (problem,) = item.problems
    assert problem.path == ""
    assert problem.raw.startswith('{"metadata": {}')
    assert len(problem.raw) == 200
    assert "name" in problem.text


@pytest.mark.parametrize(
    ("raw", "name", "key", "namespaced_key"),
    [
        (b'{"metadata": {"name": "a", "namespace": "n"}}', "nodes/n/a", "a", ("n", "a")),
        (b'{"metadata": {"name": "a"}}', "nodes/a", "a", ("", "a")),
        (b'{"metadata": {}}', "nodes", None, None),
        (b'{"metadata": {"name": 7}}', "nodes", None, None),
        (b"7", "nodes", None, None),
    ],
)
def test_tells_whose_object_it_is(raw, name, key, namespaced_key):
    head = read_head(msgspec.Raw(raw))
    assert subject(nodes("fleet"), head) == name
    assert head.key(namespaced=False) == key
    assert head.key(namespaced=True) == namespaced_key


def test_a_page_says_how_it_goes_on():
    page = read_page(b'{"metadata": {"resourceVersion": "7", "continue": "t"}, "items": [1, {}]}', "fleet")
    assert (page.metadata.version, page.metadata.token) == ("7", "t")
    assert [bytes(raw) for raw in page.items] == [b"1", b"{}"]


@pytest.mark.parametrize(
    "body", [b"", b"{}", b'{"metadata": {"resourceVersion": "7"}, "items": {}}', b"\xff"]
)
def test_what_is_no_page_is_misread_with_the_place_it_came_from(body):
    with pytest.raises(SourceMisread, match="cluster fleet: the answer is no list"):
        read_page(body, "cluster fleet")


@pytest.mark.parametrize("line", [b"", b"{}", b'{"type": "ADDED"}', b"nonsense"])
def test_what_is_no_event_is_misread(line):
    with pytest.raises(SourceMisread, match="a line is no event"):
        read_event(line, "cluster fleet")
