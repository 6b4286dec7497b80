from gateway.errors import System
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown, UnknownCode
from tests.builders import a_node
from tests.fleets import ABSENT, FRESH, NEVER, a_keeper
from tests.listed import a_claim, a_gpu, a_slice

SLICES = SourceKey(System.KUBERNETES, "fleet", "resourceslices")
CLAIMS = SourceKey(System.KUBERNETES, "fleet", "resourceclaims")
BARE = [a_node(name, labels={}, capacity={}) for name in ("gpu-01", "gpu-02")]


def listed(node, cards=2, **more):
    found = a_slice(node, [a_gpu(at) for at in range(cards)], **more)
    return {found.name: found}


def a_listed_fleet():
    keeper = a_keeper(BARE)
    keeper.replace(SLICES, listed("gpu-01") | listed("gpu-02", 4), FRESH)
    keeper.replace(CLAIMS, {}, FRESH)
    return keeper


def node(keeper, name="gpu-01"):
    return keeper.pin().node("fleet", name)


def requested(keeper, name="gpu-01"):
    return [one.requested for one in node(keeper, name).gpus.resources]


def test_slices_make_gpu_nodes_and_take_them_back():
    keeper = a_listed_fleet()
    assert [node(keeper, name).gpus.cards for name in ("gpu-01", "gpu-02")] == [2, 4]

    keeper.change(SLICES, dict.fromkeys(listed("gpu-01")), FRESH)
    assert node(keeper).is_gpu_node is False
    assert node(keeper, "gpu-02").gpus.cards == 4


def test_a_new_generation_counts_once_it_is_whole():
    keeper = a_listed_fleet()

    keeper.change(SLICES, listed("gpu-01", 3, generation=2, of=2), FRESH)
    assert isinstance(node(keeper).gpus.cards, Unknown)

    keeper.change(SLICES, listed("gpu-01", 4, generation=2, of=2, part=1), FRESH)
    assert node(keeper).gpus.cards == 4


def test_a_claim_reaches_the_node_of_its_pool_and_no_other():
    keeper = a_listed_fleet()
    other = node(keeper, "gpu-02")

    keeper.change(CLAIMS, {("training", "a"): a_claim("a", "gpu-0", "gpu-1")}, FRESH)
    assert (requested(keeper), node(keeper).busy) == ([2], True)
    assert node(keeper, "gpu-02") is other

    keeper.change(CLAIMS, {("training", "a"): a_claim("a", "gpu-0", node="gpu-02")}, FRESH)
    assert (requested(keeper), requested(keeper, "gpu-02")) == ([0], [1])

    keeper.change(CLAIMS, {("training", "a"): None}, FRESH)
    assert requested(keeper, "gpu-02") == [0]


def test_a_claim_that_comes_before_its_slices_is_not_forgotten():
    keeper = a_keeper(BARE)
    keeper.replace(CLAIMS, {("training", "a"): a_claim("a", "gpu-0")}, FRESH)
    keeper.replace(SLICES, listed("gpu-01"), FRESH)

    assert requested(keeper) == [1]


def test_silence_withholds_what_was_listed_and_shows_it_again():
    keeper = a_listed_fleet()

    keeper.touch(SLICES, NEVER)
    assert node(keeper).gpus.cards.code is UnknownCode.SOURCE_UNAVAILABLE
    keeper.touch(SLICES, FRESH)
    assert node(keeper).gpus.cards == 2

    keeper.touch(CLAIMS, NEVER)
    assert requested(keeper)[0].code is UnknownCode.SOURCE_UNAVAILABLE
    keeper.touch(CLAIMS, FRESH)
    assert requested(keeper) == [0]


def test_a_cluster_without_slices_or_that_does_not_show_them_counts_by_its_labels():
    for contact in (ABSENT, NEVER):
        keeper = a_keeper([a_node()])
        keeper.touch(SLICES, contact)
        keeper.touch(CLAIMS, contact)

        assert node(keeper).gpus.cards == 8
        assert HealthCode.UNKNOWN_CARDS not in {reason.code for reason in node(keeper).health.reasons}
