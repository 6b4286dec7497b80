import pytest

from tests.fleet.diagnosis.pod.cases import FAIL, GPU, PASS, UNKNOWN, advice, checks, diagnosed, machine, step
from tests.fleet.scheduling.scenes import node, pod

SLICE = "nvidia.com/mig-3g.40gb"
ROOM = {"cpu": "64", "memory": "512Gi", "pods": "50"}


def cut(name="a", *, strategy="mixed", product="NVIDIA-H100-80GB-HBM3", cards=8):
    """A machine; without more, with eight whole H100 under the mixed strategy."""
    labels = {
        "nvidia.com/gpu.product": product,
        "nvidia.com/gpu.count": str(cards),
        "nvidia.com/mig.capable": "true",
        "nvidia.com/mig.strategy": strategy,
        "nvidia.com/mig.config": "all-disabled",
    }
    return machine(name, {GPU: str(cards)}, {GPU: str(cards)}, labels)


def layout(ask, nodes, pods=()):
    return step(diagnosed(ask, nodes, pods), "MIG_LAYOUT")


def test_slices_that_exist_nowhere_could_be_cut_from_cards_that_nobody_holds():
    running = [pod("train", on="a", asks={GPU: "7"})]

    found = layout(pod(asks={SLICE: "2"}), [cut()], running)

    assert (found.outcome, found.finding) == (FAIL, f"no node offers {SLICE}; under another layout a could")
    assert advice(found) == [
        (
            "CHANGE_MIG_LAYOUT",
            "cut 1 whole card of a, which nobody holds, into 2 x 3g.40gb; then it fits on a",
        )
    ]


def test_of_many_machines_the_one_whose_cards_nobody_holds_is_found():
    others = [node(f"{name}-{at}", has=ROOM) for name in ("c", "z") for at in range(20)]
    held = [cut(f"h{at}") for at in range(20)]
    running = [pod(f"on-{one.name}", on=one.name, asks={GPU: "8"}) for one in held]

    found = layout(pod(asks={SLICE: "2"}), [*others, *held, cut("idle")], running)

    assert advice(found)[0][1].startswith("cut 1 whole card of idle, which nobody holds")


def test_where_every_card_is_held_it_takes_them_from_somebody():
    running = [pod("train", on="a", asks={GPU: "8"})]

    found = layout(pod(asks={SLICE: "2"}), [cut()], running)

    assert advice(found) == [
        (
            "CHANGE_MIG_LAYOUT",
            "cut 1 card of a into 2 x 3g.40gb, which takes the GPUs of a from 1 pod; then it fits on a",
        )
    ]


def test_more_than_the_cards_give_is_not_promised():
    diagnosis = diagnosed(pod(asks={SLICE: "17"}), [cut()])

    assert [one.action.value for one in diagnosis.remedies] == ["OTHER"]


def test_a_profile_that_no_card_has():
    found = layout(pod(asks={"nvidia.com/mig-9g.99gb": "1"}), [cut()])

    assert found.finding == (
        "no node offers nvidia.com/mig-9g.99gb, and none has cards that can be cut into 9g.99gb"
    )
    assert found.remedies == ()


def test_slices_that_go_by_the_name_of_cards_are_told():
    single = cut("s", strategy="single", product="NVIDIA-H100-80GB-HBM3-MIG-3g.40gb", cards=2)

    found = layout(pod(asks={SLICE: "1"}), [single])

    assert found.finding == (
        f"no node offers {SLICE}; s offers such slices as nvidia.com/gpu (MIG strategy single)"
    )


@pytest.mark.parametrize("strategy", ["single", "none"])
def test_only_the_mixed_strategy_offers_slices_by_name(strategy):
    found = layout(pod(asks={SLICE: "1"}), [cut(strategy=strategy)])

    assert found.finding.endswith("none has cards that can be cut into 3g.40gb")


def test_cards_of_a_type_that_nobody_knows_may_be():
    found = layout(pod(asks={SLICE: "1"}), [cut(product="NVIDIA-X900")])

    assert found.finding == f"no node offers {SLICE}; whether a could be cut so is not known"


def test_slices_that_are_there_pass_whoever_holds_them():
    offering = node("a", has={**ROOM, SLICE: "2"})

    found = layout(pod(asks={SLICE: "1"}), [offering], [pod("one", on="a", asks={SLICE: "2"})])

    assert (found.outcome, found.finding) == (PASS, f"{SLICE} is offered by 1 node")


def test_a_pod_without_slices_is_not_asked():
    assert "MIG_LAYOUT" not in checks(diagnosed(pod(asks={GPU: "1"}), [cut()]))


def test_other_reasons_stay_after_the_cut():
    ask = pod(asks={SLICE: "1", "cpu": "100"})

    diagnosis = diagnosed(ask, [cut()])

    assert [one.text.partition(";")[0] for one in diagnosis.remedies] == [
        "change 1 of 2: ask for at most 64 of cpu in one pod",
        "change 2 of 2: cut 1 whole card of a, which nobody holds, into 1 x 3g.40gb",
    ]


def test_an_amount_of_slices_that_cannot_be_read_is_not_none():
    found = layout(pod(asks={SLICE: "1"}), [machine("a", {}, {SLICE: "many"})])

    assert (found.outcome, found.finding) == (
        UNKNOWN,
        f"which nodes offer such slices is not known: {SLICE}: 'many' is not a Kubernetes quantity",
    )
