import pytest

from gateway.fleet.platform import Target
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from tests.builders import a_job, a_node, a_pod, a_price, a_record, a_slurm_node, a_workspace
from tests.fleet.lines import line, lines, machine, numbers
from tests.fleets import a_machine
from tests.gpu_labels import A100, GPU, H100, SHARED_GPU, T4, mixed, shared, whole

MIG = "nvidia.com/mig-"
KUBERNETES, SLURM = Target.KUBERNETES, Target.SLURM
FOR_SLURM = a_record(target=SLURM)


def test_draws_up_a_line_of_the_kubernetes_target():
    nodes = (
        machine("gpu-01", pods=[a_pod(asks={GPU: 3})]),
        machine("gpu-02", capacity={GPU: 8}, allocatable={GPU: 7}),
        machine("gpu-03", cordoned=True),
        machine("gpu-04", ready=False, pods=[a_pod(asks={GPU: 8})]),
    )

    drawn = line(*nodes, workspaces=[a_workspace(given={H100: 12}), a_workspace("other", {H100: 8})])

    assert drawn.unit is GpuUnit.CARD
    assert numbers(drawn) == {
        "physical": 32,
        "healthy": 23,
        "schedulable": 15,
        "partitioned": 0,
        "allocated": 20,
        "used": 11,
        "available": 3,
        "deficit": 0,
    }


def test_draws_up_a_line_of_the_slurm_target():
    nodes = (
        a_machine(record=a_record("s-1", SLURM), slurm=a_slurm_node("s-1"), jobs=(a_job("1", {"s-1": 3}),)),
        a_machine(record=a_record("s-2", SLURM), slurm=a_slurm_node("s-2", ["IDLE", "DRAIN"])),
        a_machine(record=a_record("s-3", SLURM), slurm=a_slurm_node("s-3", ["DOWN"]), jobs=()),
        a_machine(
            record=a_record("s-4", SLURM),
            slurm=a_slurm_node("s-4", ["ALLOCATED", "NOT_RESPONDING"]),
            jobs=(a_job("2", {"s-3": 8, "s-4": 8}),),
        ),
    )

    assert numbers(line(*nodes)) == {
        "physical": 32,
        "healthy": 16,
        "schedulable": 8,
        "partitioned": 0,
        "allocated": 11,
        "used": 11,
        "available": 5,  # of the drained node nothing, of the others what is not given there
        "deficit": 0,
    }


def test_cards_that_no_record_assigns_are_neither_allocated_nor_available():
    drawn = line(
        a_machine(a_node(), pods=(a_pod(),)),
        a_machine(slurm=a_slurm_node("s-1"), jobs=(a_job("1", {"s-1": 2}),)),
    )

    assert drawn.target is None
    assert numbers(drawn) == {
        "physical": 16,
        "healthy": 16,
        "schedulable": 16,
        "partitioned": 0,
        "allocated": None,
        "used": 3,
        "available": None,
        "deficit": None,
    }


def test_what_is_given_and_not_healthy_is_the_deficit():
    drawn = line(machine(allocatable={GPU: 5}), workspaces=[a_workspace(given={H100: 8})])

    assert (drawn.healthy, drawn.allocated, drawn.available, drawn.deficit) == (5, 8, 0, 3)


def test_an_allocation_without_any_card_behind_it_is_a_line():
    drawn = line(workspaces=[a_workspace(given={T4: 2})])

    assert (drawn.gpu_type.name, drawn.target) == (T4, KUBERNETES)
    assert numbers(drawn)["physical"] == 0
    assert (drawn.allocated, drawn.available, drawn.deficit) == (2, 0, 2)


def test_a_record_whose_node_is_gone_adds_nothing():
    assert lines(a_machine(record=a_record("gone", claims=8))) == {}
    drawn = line(machine(), a_machine(record=a_record("gone", claims=8)))
    assert (drawn.physical, drawn.healthy) == (8, 8)


def test_a_machine_counts_for_its_target_only_where_that_system_knows_it():
    drawn = lines(
        a_machine(record=a_record("s-1"), slurm=a_slurm_node("s-1")),
        a_machine(a_node("gpu-2"), a_record("gpu-2", SLURM)),
    )

    assert {key: one.physical for key, one in drawn.items()} == {(H100, KUBERNETES): 0, (H100, SLURM): 0}


def test_a_machine_that_both_know_stands_in_the_line_of_its_target():
    both = a_node(), a_slurm_node()
    work = {"pods": (a_pod(asks={GPU: 2}),), "jobs": (a_job("1", {"gpu-01": 8}),)}

    by_target = {
        target: line(a_machine(both[0], a_record(target=target), both[1], **work)) for target in Target
    }

    assert by_target[KUBERNETES].used == 2
    assert by_target[SLURM].used == by_target[SLURM].allocated == 8


def test_machines_of_unknown_type_have_a_line_of_their_own():
    drawn = lines(
        machine("gpu-01"),
        machine("gpu-02", labels=whole() | {"nvidia.com/gpu.product": "NVIDIA-X1"}),
        machine("gpu-03", labels=whole(1), capacity={GPU: 4}),
        workspaces=[a_workspace(given={H100: 4})],
    )

    assert list(drawn) == [(H100, KUBERNETES), (None, KUBERNETES)]
    assert (drawn[H100, KUBERNETES].physical, drawn[H100, KUBERNETES].allocated) == (8, 4)
    assert (drawn[None, KUBERNETES].physical, drawn[None, KUBERNETES].allocated) == (12, 0)


def test_machines_without_gpus_are_left_out():
    assert lines(a_machine(a_node(labels={}, capacity={}))) == {}


def test_cut_and_shared_cards_are_not_among_the_used_ones():
    cut = machine(
        "gpu-01",
        labels=mixed(8),
        capacity={GPU: 6, f"{MIG}1g.10gb": 14},
        pods=[a_pod("a", asks={f"{MIG}1g.10gb": 9}), a_pod("b", asks={GPU: 2})],
    )
    sliced = machine("gpu-02", labels=shared(8, 4, A100), capacity={GPU: 32}, pods=[a_pod(asks={GPU: 20})])

    drawn = line(cut, sliced)

    assert (drawn.physical, drawn.partitioned, drawn.used) == (16, 2, 2)
    (group,) = drawn.slices
    assert (group.profile.name, group.capacity, group.allocatable, group.requested, group.free) == (
        "1g.10gb",
        14,
        14,
        9,
        5,
    )


def test_work_on_devices_of_unknown_unit_leaves_used_unknown():
    amd = {"labels": {}, "capacity": {"amd.com/gpu": 8}}

    assert line(machine(**amd)).used == 0
    held = line(machine(**amd, pods=[a_pod(asks={"amd.com/gpu": 5})])).used
    assert "nothing tells whether it counts cards" in held.reason


def test_shares_of_slices_are_counted_as_slices_only_where_a_label_does():
    drawn = line(
        machine(
            labels=mixed(2) | {f"{MIG}1g.10gb.count": "7", f"{MIG}1g.10gb.replicas": "2"},
            capacity={GPU: 1, f"{MIG}1g.10gb": 14},
        )
    )

    (group,) = drawn.slices
    assert group.capacity == 7
    assert group.allocatable.reason == f"gpu-01: {MIG}1g.10gb counts shares of slices"


def test_over_committed_machines_are_told_as_they_are():
    drawn = line(machine(labels=whole(4), allocatable={GPU: 3}, pods=[a_pod(asks={GPU: 4})]))

    assert (drawn.healthy, drawn.used) == (3, 4)


PRICES = {H100: (a_price("2.50"),)}


def test_a_line_costs_its_cards():
    cost = line(machine(), prices=PRICES).cost_per_hour

    assert (str(cost.amount), cost.currency) == ("20.00", "USD")


def test_a_line_without_a_price_has_no_cost():
    assert line(machine(labels=whole(4, T4)), prices=PRICES).cost_per_hour is None


def test_what_cards_of_unknown_type_cost_is_not_known():
    untyped = machine(labels=whole() | {"nvidia.com/gpu.product": "X"})

    assert line(untyped, prices=PRICES).cost_per_hour.reason == "cards of unknown type have no price"


def test_unknown_cards_cost_what_is_not_known():
    assert isinstance(line(machine(labels=whole("eight")), prices=PRICES).cost_per_hour, Unknown)


@pytest.mark.parametrize("renamed", [True, False])
def test_shares_add_no_cards(renamed):
    capacity = {GPU: 0, SHARED_GPU: 32} if renamed else {GPU: 32}

    assert line(machine(labels=shared(8, 4), capacity=capacity)).physical == 8


def test_each_line_has_an_id_of_its_own():
    drawn = lines(
        machine("a"),
        a_machine(a_node("b")),
        machine("c", labels=whole("?") | {"nvidia.com/gpu.product": "?"}),
    )

    assert len({one.id for one in drawn.values()}) == len(drawn) == 3
