"""What holds of every account, whatever the fleet is like."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gateway.fleet.cards import kubernetes_cards
from gateway.fleet.node import Node
from gateway.fleet.terms import is_known_to, line_of, node_cards, usable_cards
from gateway.fleet.unknown import Unknown
from tests.builders import a_node, a_pod, a_record
from tests.fleet.generated import GARBAGE, GPU_KEYS, OFFERS, SLICES, SOUND, WORKSPACES, Offer, fleets
from tests.fleet.lines import lines
from tests.fleets import a_machine
from tests.gpu_labels import GPU, SHARED_GPU, mixed, shared, whole

SUMS = ("physical", "healthy", "schedulable", "partitioned", "used")


def added(one, other):
    return one if isinstance(one, Unknown) else other if isinstance(other, Unknown) else one + other


def same(one, other):
    return isinstance(one, Unknown) if isinstance(other, Unknown) else one == other


@given(fleets(), WORKSPACES)
def test_available_is_at_most_healthy_is_at_most_physical(nodes, workspaces):
    for line in lines(*nodes, workspaces=workspaces).values():
        if isinstance(line.healthy, int):
            if line.available is not None and not isinstance(line.available, Unknown):
                assert 0 <= line.available <= line.healthy
            assert not isinstance(line.physical, int) or line.healthy <= line.physical
        if isinstance(line.schedulable, int) and isinstance(line.healthy, int):
            assert line.schedulable <= line.healthy


@given(fleets())
def test_each_line_is_the_sum_of_its_machines(nodes):
    for key, line in lines(*nodes).items():
        own = [node for node in nodes if line_of(node) == key and is_known_to(key[1], node)]
        for value, term in ((line.physical, node_cards), (line.healthy, usable_cards)):
            expected = 0
            for node in own:
                expected = added(expected, term(node) or 0)
            assert same(value, expected)


def holder(node: Node):
    return node.record.tenant_name if node.record else None


@given(fleets())
def test_the_tenants_and_what_nobody_holds_are_the_cluster(nodes):
    cluster = lines(*nodes)
    parts = [lines(*(node for node in nodes if holder(node) == name)) for name in ("ocean", "vision", None)]

    for key, line in cluster.items():
        for name in SUMS:
            expected = 0
            for part in parts:
                expected = added(expected, getattr(part[key], name) if key in part else 0)
            assert same(getattr(line, name), expected), name


@given(fleets(), WORKSPACES)
def test_an_orphaned_record_changes_no_number(nodes, workspaces):
    orphan = a_machine(record=a_record("gone", claims=8))

    assert lines(*nodes, orphan, workspaces=workspaces) == lines(*nodes, workspaces=workspaces)


@given(OFFERS, st.sampled_from(GPU_KEYS), GARBAGE)
def test_an_unreadable_quantity_beside_the_others_changes_no_count_of_cards(offer, key, text):
    before = kubernetes_cards(a_node(labels=offer.labels, capacity=offer.capacity))
    after = kubernetes_cards(a_node(labels=offer.labels, capacity={key: text} | offer.capacity))

    assert after == before


@given(SOUND, GARBAGE)
def test_an_unreadable_capacity_beside_a_good_label_changes_no_count_of_cards(offer, text):
    before = kubernetes_cards(a_node(labels=offer.labels, capacity=offer.capacity))
    after = kubernetes_cards(a_node(labels=offer.labels, capacity=offer.capacity | {GPU: text}))

    assert isinstance(before.count, int)
    assert after.count == before.count


@given(st.integers(1, 16), st.integers(0, 56), st.integers(1, 16))
def test_slices_and_replicas_change_no_count_of_cards(cards, slices, replicas):
    offers = [
        Offer(whole(cards), {GPU: cards}),
        Offer(mixed(cards), {GPU: 0, SLICES: slices}),
        Offer(shared(cards, replicas), {GPU: cards * replicas}),
        Offer(shared(cards, replicas), {GPU: 0, SHARED_GPU: cards * replicas}),
    ]

    counts = {kubernetes_cards(a_node(labels=one.labels, capacity=one.capacity)).count for one in offers}
    assert counts == {cards}


@given(fleets())
def test_a_pod_that_ended_or_is_not_bound_changes_no_number(nodes):
    idle = (a_pod("done", phase="Succeeded", asks={GPU: 4}), a_pod("waits", node=None, asks={GPU: 4}))
    before = Counter(map(repr, lines(*nodes).values()))
    more = [
        a_machine(
            node.kubernetes,
            node.record,
            node.slurm,
            pods=(*node.pods, *idle),
            jobs=node.jobs,
            beside=node.beside,
        )
        for node in nodes
    ]

    assert Counter(map(repr, lines(*more).values())) == before


@given(fleets())
def test_the_order_of_machines_changes_no_number(nodes):
    def told(*machines):
        return {
            key: [getattr(line, name) for name in SUMS if isinstance(getattr(line, name), int)]
            for key, line in lines(*machines).items()
        }

    assert told(*reversed(nodes)) == told(*nodes)


@given(SOUND)
def test_a_cordon_changes_no_health(offer):
    node = a_node(labels=offer.labels, capacity=offer.capacity)

    assert a_machine(replace(node, cordoned=True)).health == a_machine(node).health
