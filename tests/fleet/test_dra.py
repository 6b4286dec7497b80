import pytest

from gateway.errors import System
from gateway.fleet.beside import Beside
from gateway.fleet.dra import cards_of
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from tests.builders import a_node, a_pod
from tests.fleets import a_machine, silence
from tests.gpu_labels import GPU, whole
from tests.listed import a_claim, a_gpu, a_part, a_slice, tainted

BARE = a_node(labels={}, capacity={})
FOUR = [a_gpu(at) for at in range(4)]
DYNAMIC = [a_gpu(0), *(a_part(0, at) for at in range(7)), *(a_part(0, at, "3g.20gb") for at in (0, 4))]
CUT = [a_part(1, at) for at in range(7)]


def listed(devices, claims=(), **more):
    """A node of which only a driver tells."""
    return a_machine(BARE, beside=Beside(slices=(a_slice("gpu-01", devices, **more),), claims=tuple(claims)))


COUNTED = {
    "whole cards": ([a_slice("gpu-01", FOUR)], 4),
    "one card and every part that it could be cut into": ([a_slice("gpu-01", DYNAMIC)], 1),
    "a card under MIG is not listed itself": ([a_slice("gpu-01", CUT)], 1),
    "both": ([a_slice("gpu-01", [*DYNAMIC, *CUT])], 2),
    "the newest generation alone": (
        [a_slice("gpu-01", FOUR, generation=3), a_slice("gpu-01", [a_gpu(9)], generation=4)],
        1,
    ),
    "every slice of a pool, one with counters alone": (
        [
            a_slice("gpu-01", FOUR, of=3),
            a_slice("gpu-01", [a_gpu(8)], of=3, part=1),
            a_slice("gpu-01", [], of=3, part=2),
        ],
        5,
    ),
    "one card by two drivers": (
        [a_slice("gpu-01", FOUR), a_slice("gpu-01", FOUR, driver="gpu.example.com")],
        4,
    ),
    "other devices": ([a_slice("gpu-01", [{"name": "eth0"}], driver="nic.example.com")], None),
    "a driver that lists nothing": ([a_slice("gpu-01", [])], None),
    "nothing": ([], None),
}


@pytest.mark.parametrize(("slices", "cards"), COUNTED.values(), ids=COUNTED.keys())
def test_counts_cards_and_not_devices(slices, cards):
    assert cards_of(slices) == cards


UNDECIDED = {
    "a slice is missing": ([a_slice("gpu-01", FOUR, of=2)], "1 of 2 slices of the pool gpu-01"),
    "the newer generation is not whole": (
        [a_slice("gpu-01", FOUR), a_slice("gpu-01", FOUR, generation=2, of=2)],
        "1 of 2 slices",
    ),
    "a slice too many": (
        [a_slice("gpu-01", FOUR), a_slice("gpu-01", FOUR, part=1)],
        "2 of 1 slices",
    ),
    "a card without a uuid": (
        [a_slice("gpu-01", [{"name": "gpu-0", "attributes": {"type": {"string": "gpu"}}}])],
        "gpu-0 of gpu.nvidia.com does not say which card",
    ),
}


@pytest.mark.parametrize(("slices", "reason"), UNDECIDED.values(), ids=UNDECIDED.keys())
def test_does_not_count_what_is_not_whole(slices, reason):
    found = cards_of(slices)

    assert isinstance(found, Unknown)
    assert reason in found.reason


def test_a_node_that_only_a_driver_tells_of_is_a_gpu_node_with_its_type():
    node = listed(FOUR)

    assert node.is_gpu_node
    assert (node.gpus.cards, node.gpus.cards_basis) == (4, CardsBasis.RESOURCE_SLICES)
    assert (node.gpus.whole_cards, node.gpus.partitioned_cards) == (4, 0)
    assert node.gpus.type.name == "A100-40GB"
    assert (node.health.healthy, node.health.usable_cards, node.health.reasons) == (True, 4, ())


def test_two_models_leave_the_type_open():
    node = listed([a_gpu(0), a_gpu(1, product="NVIDIA H100 80GB HBM3")])

    assert node.gpus.type.reason == "the devices name 2 models: NVIDIA-A100-SXM4-40GB, NVIDIA-H100-80GB-HBM3"


def test_listed_devices_decide_before_labels():
    beside = Beside(slices=(a_slice("gpu-01", FOUR),))

    assert a_machine(a_node(labels=whole(8), capacity={}), beside=beside).gpus.cards == 4


def counts(node):
    return {
        one.name: (one.unit, one.capacity, one.allocatable, one.requested, one.free)
        for one in node.gpus.resources
    }


def test_claims_hold_what_they_were_given_and_administrators_hold_nothing():
    claims = [a_claim("a", "gpu-0", "gpu-1"), a_claim("b", "gpu-3", admin=True), a_claim("waits")]
    node = listed(FOUR, [*claims, a_claim("c", "gpu-0", admin=True)])

    assert counts(node) == {"gpu.nvidia.com": (GpuUnit.CARD, 4, 4, 2, 2)}
    assert node.busy is True
    assert listed(FOUR, [a_claim("b", "gpu-3", admin=True)]).busy is False


def test_a_pod_changes_nothing_of_what_is_claimed():
    beside = Beside(slices=(a_slice("gpu-01", FOUR),), claims=(a_claim("a", "gpu-0"),))
    node = a_machine(BARE, beside=beside, pods=(a_pod(asks={GPU: 1}),))

    assert counts(node)["gpu.nvidia.com"][3] == 1


def test_a_card_of_which_a_part_was_given_is_cut():
    before, after = listed(DYNAMIC), listed(DYNAMIC, [a_claim("a", "gpu-0-mig-1g.5gb-3")])

    assert (before.gpus.whole_cards, before.gpus.partitioned_cards) == (1, 0)
    assert (after.gpus.whole_cards, after.gpus.partitioned_cards) == (0, 1)
    assert counts(before) == {"gpu.nvidia.com": (GpuUnit.CARD, 1, 1, 0, 1)}
    assert (counts(after), after.busy, after.health.usable_cards) == ({}, True, 1)


def test_parts_of_a_card_that_stays_cut_are_slices():
    node = listed([*FOUR[:1], *CUT], [a_claim("a", "gpu-1-mig-1g.5gb-3")])

    assert (node.gpus.whole_cards, node.gpus.partitioned_cards) == (1, 1)
    assert counts(node) == {
        "gpu.nvidia.com": (GpuUnit.CARD, 1, 1, 0, 1),
        "gpu.nvidia.com/1g.5gb": (GpuUnit.SLICE, 7, 7, 1, 6),
    }


LOST = {
    "a card that nothing may be given of": ([*FOUR[:3], a_gpu(3, **tainted())], 3),
    "a card that new work is kept from": ([*FOUR[:3], a_gpu(3, **tainted("NoSchedule"))], 3),
    "a remark": ([*FOUR[:3], a_gpu(3, **tainted("None"))], 4),
    "parts of a card that is not cut": ([*FOUR, *CUT[:5], *(a_part(1, at, **tainted()) for at in (5, 6))], 4),
    "a part of a cut card": ([*FOUR[:1], *CUT[:6], a_part(1, 6, **tainted())], 1),
    "all": ([a_gpu(0, **tainted())], 0),
}


@pytest.mark.parametrize(("devices", "usable"), LOST.values(), ids=LOST.keys())
def test_tainted_devices_are_lost_cards(devices, usable):
    assert listed(devices).health.usable_cards == usable


def test_a_pool_that_is_not_whole_is_not_read_as_broken():
    node = listed(FOUR, of=2)

    assert isinstance(node.gpus.cards, Unknown)
    assert node.health.healthy == node.gpus.cards
    assert [reason.code for reason in node.health.reasons] == [HealthCode.UNKNOWN_CARDS]


def test_a_machine_that_should_have_devices_and_lists_none_is_not_usable():
    node = a_machine(a_node(labels=whole(8), capacity={}), beside=Beside(slices=(a_slice("gpu-01", []),)))

    assert (node.gpus.cards, node.health.usable_cards) == (8, 0)
    assert [reason.code for reason in node.health.reasons] == [HealthCode.NO_CAPACITY]


def test_silence_of_slices_or_claims_is_told_and_is_no_zero():
    silent = silence(System.KUBERNETES)
    mute = a_machine(BARE, beside=Beside(slices=silent, claims=silent))
    unclaimed = a_machine(BARE, beside=Beside(slices=(a_slice("gpu-01", FOUR),), claims=silent))
    dynamic = a_machine(BARE, beside=Beside(slices=(a_slice("gpu-01", DYNAMIC),), claims=silent))

    assert mute.gpus.cards == mute.health.usable_cards == silent
    assert (unclaimed.gpus.cards, unclaimed.gpus.whole_cards) == (4, 4)
    assert counts(unclaimed) == {"gpu.nvidia.com": (GpuUnit.CARD, 4, 4, silent, silent)}
    assert unclaimed.busy == silent
    assert (dynamic.gpus.cards, dynamic.gpus.whole_cards) == (1, silent)
