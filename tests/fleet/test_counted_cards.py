"""What holds however cards are offered: by layouts, virtual GPUs, partitions, listed devices."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gateway.fleet.beside import Beside
from gateway.fleet.unknown import Unknown
from tests.builders import a_node
from tests.fleet.generated import counted_offers
from tests.fleets import a_machine
from tests.listed import a_claim, a_gpu, a_part, a_slice


def offered(offer, allocatable=None):
    node = a_node(labels=offer.labels, capacity=offer.capacity, allocatable=allocatable, hami=offer.hami)
    return a_machine(node, beside=offer.beside)


@given(counted_offers())
def test_the_count_is_right_or_unknown(counted):
    cards, offer = counted
    machine = offered(offer)

    assert isinstance(machine.gpus.cards, Unknown) or machine.gpus.cards == cards
    if isinstance(machine.gpus.cards, int):
        assert machine.gpus.whole_cards + machine.gpus.partitioned_cards == cards
        assert machine.health.usable_cards == cards


@given(counted_offers(), st.integers(0, 9))
def test_what_is_lost_takes_from_what_is_usable_and_never_from_the_cards(counted, lost):
    cards, offer = counted
    allocatable = {key: max(0, count - lost) for key, count in offer.capacity.items()}
    whole, damaged = offered(offer), offered(offer, allocatable)

    assert damaged.gpus.cards == whole.gpus.cards
    usable = damaged.health.usable_cards
    assert isinstance(usable, Unknown) or 0 <= usable <= cards


@given(st.integers(1, 8), st.sampled_from(["1g.5gb", "3g.20gb"]), st.integers(1, 7))
def test_parts_that_could_be_made_and_claims_of_administrators_add_no_card(cards, profile, parts):
    devices = [a_gpu(at) for at in range(cards)]
    listed = a_slice("x", devices)
    possible = a_slice("x", [*devices, *(a_part(0, at, profile) for at in range(parts))])
    admin = a_claim("admin", *(device.name for device in possible.devices), node="x", admin=True)
    before = a_machine(a_node(), beside=Beside(slices=(listed,)))
    after = a_machine(a_node(), beside=Beside(slices=(possible,), claims=(admin,)))

    assert after.gpus.cards == before.gpus.cards == cards
    assert after.gpus.whole_cards == cards
    assert after.busy is before.busy is False


@given(st.integers(1, 8), st.integers(0, 8), st.randoms())
def test_the_order_of_slices_and_those_of_older_generations_change_no_card(cards, older, chance):
    newest = [a_slice("x", [a_gpu(at)], generation=2, of=cards, part=at) for at in range(cards)]
    left = [a_slice("x", [a_gpu(100 + at)], generation=1, of=9, part=at) for at in range(older)]
    mixed = [*newest, *left]
    chance.shuffle(mixed)

    assert a_machine(a_node(), beside=Beside(slices=tuple(mixed))).gpus.cards == cards
    torn = tuple(one for one in mixed if one is not newest[0])
    found = a_machine(a_node(), beside=Beside(slices=torn)).gpus.cards
    assert isinstance(found, Unknown) or cards == 1


@given(counted_offers())
def test_a_cordon_changes_no_health_of_theirs(counted):
    _, offer = counted
    node = a_node(labels=offer.labels, capacity=offer.capacity, hami=offer.hami)
    closed = a_machine(replace(node, cordoned=True), beside=offer.beside)

    assert closed.health == a_machine(node, beside=offer.beside).health
