"""What holds of every account, whatever the fleet is like."""

from collections import Counter
from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from gateway.fleet.cards import kubernetes_cards
from gateway.fleet.node import Node
from gateway.fleet.platform import Target
from gateway.fleet.terms import is_known_to, line_of, node_cards, usable_cards
from gateway.fleet.unknown import Unknown
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, a_workspace
from tests.fleet.lines import lines
from tests.fleets import a_machine
from tests.gpu_labels import A100, GPU, H100, SHARED_GPU, T4, mixed, shared, single, whole

SLICES = "nvidia.com/mig-1g.10gb"
COUNTS = st.integers(0, 16)
KINDS = st.sampled_from([A100, H100, T4])
GARBAGE = st.sampled_from(["banana", "-1", "0.5", "13Gi", "", "18446744073709552000", "8 cards"])
GPU_KEYS = [
    SHARED_GPU,
    SLICES,
    "nvidia.com/mig-3g.40gb",
    "amd.com/gpu",
    "volcano.sh/vgpu-number",
    "nvidia.com/x",
]
NAMES = st.sampled_from(["ocean", "vision", None])
TARGETS = st.sampled_from([*Target, None])


@dataclass(frozen=True)
class Offer:
    """What a node's labels say and what it offers."""

    labels: dict
    capacity: dict


@st.composite
def whole_offers(draw):
    cards, kind = draw(COUNTS), draw(KINDS)
    return Offer(whole(cards, kind), {GPU: draw(st.sampled_from([cards, max(0, cards - 1), 0]))})


@st.composite
def shared_offers(draw):
    cards, replicas = draw(COUNTS), draw(st.integers(2, 10))
    key = draw(st.sampled_from([GPU, SHARED_GPU]))
    return Offer(shared(cards, replicas, draw(KINDS)), {GPU: 0, key: cards * replicas})


@st.composite
def cut_offers(draw):
    cards = draw(st.integers(1, 16))
    cut = draw(st.integers(0, cards))
    return Offer(mixed(cards), {GPU: cards - cut, SLICES: 7 * cut})


@st.composite
def odd_offers(draw):
    cards = draw(COUNTS)
    return draw(
        st.sampled_from(
            [
                Offer({}, {GPU: cards}),
                Offer(single(7 * cards, "1g.10gb"), {GPU: 7 * cards}),
                Offer(whole("?"), {GPU: cards}),
                Offer(whole(cards), {GPU: "?"}),
                Offer(whole(1), {GPU: cards}),
                Offer({}, {"amd.com/gpu": cards}),
            ]
        )
    )


SOUND = whole_offers() | shared_offers() | cut_offers()
OFFERS = SOUND | odd_offers()


@st.composite
def machines(draw, name):
    """A machine that some systems know, with work on it."""
    record = draw(st.none() | st.builds(a_record, st.just(name), TARGETS, NAMES))
    by_slurm = a_slurm_node(name, draw(st.sampled_from([["IDLE"], ["MIXED", "DRAIN"], ["DOWN"]])))
    slurm = draw(st.none() | st.just(by_slurm))
    offer = draw(OFFERS)
    lost = draw(st.integers(0, 3))
    allocatable = {
        key: max(0, count - lost) if isinstance(count, int) else count
        for key, count in offer.capacity.items()
    }
    kubernetes = a_node(
        name,
        offer.labels,
        offer.capacity,
        allocatable,
        ready=draw(st.booleans()),
        cordoned=draw(st.booleans()),
    )
    if slurm and draw(st.booleans()):
        kubernetes = None
    asks = {draw(st.sampled_from([GPU, SLICES])): draw(st.integers(1, 8))}
    job = a_job("1", {name: draw(st.integers(0, 8))})
    return a_machine(
        kubernetes, record, slurm, pods=(a_pod(node=name, asks=asks),), jobs=(job,) if slurm else ()
    )


@st.composite
def fleets(draw):
    return tuple(draw(machines(f"gpu-{at}")) for at in range(draw(st.integers(0, 6))))


WORKSPACES = st.lists(
    st.builds(lambda kind, cards: a_workspace(given={kind: cards}), KINDS, COUNTS), max_size=3
)
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
        a_machine(node.kubernetes, node.record, node.slurm, pods=(*node.pods, *idle), jobs=node.jobs)
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
