from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import System
from gateway.fleet.explain import BalanceField, explain
from gateway.fleet.platform import Target
from gateway.fleet.unknown import Unknown
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, a_workspace
from tests.fleet.generated import WORKSPACES, fleets, troubled_fleets
from tests.fleet.lines import line, lines, machine
from tests.fleets import a_machine, silence
from tests.gpu_labels import GPU, H100, T4, mixed, shared, single, whole

KUBERNETES, SLURM = Target.KUBERNETES, Target.SLURM
BY_LABEL, BY_GRES = "counted by the label nvidia.com/gpu.count", "counted by Slurm's GRES"
SILENT_SLURM = silence(System.SLURM)
FIELDS = list(BalanceField)


def number(balance, field):
    return getattr(balance, field.value.lower())


def terms(balance, field):
    return [(one.label, one.value) for one in explain(balance, field).figure.terms]


def excluded(balance, field):
    return [
        (one.subject.name if one.subject else None, one.count, one.reason)
        for one in explain(balance, field).excluded
    ]


@given(troubled_fleets(), WORKSPACES, st.none() | st.just(SILENT_SLURM))
def test_every_number_is_the_sum_of_its_terms(nodes, workspaces, slurm_silence):
    for balance in lines(*nodes, workspaces=workspaces, slurm_silence=slurm_silence).values():
        for field in FIELDS:
            value, drawn = number(balance, field), explain(balance, field).figure
            told = [term.value for term in drawn.terms]
            if value is None:
                assert (balance.target, told) == (None, [])
            elif isinstance(value, Unknown):
                assert None in told
            else:
                assert value == sum(told) >= 0


@given(troubled_fleets(), WORKSPACES)
def test_what_is_not_known_has_a_bound_but_for_the_deficit(nodes, workspaces):
    for balance in lines(*nodes, workspaces=workspaces).values():
        for field in FIELDS:
            drawn = explain(balance, field).figure
            unsure = field is BalanceField.DEFICIT and isinstance(balance.healthy, Unknown)
            assert (drawn.at_least is not None) == (isinstance(drawn.value, Unknown) and not unsure)


@given(fleets(), fleets(), WORKSPACES)
def test_a_bound_holds_whatever_the_machines_that_are_not_known_have(nodes, more, workspaces):
    """The same machines, and some of unknown cards that turn out to be others."""
    dark = [a_machine(a_node(f"odd-{at}", whole("?")), a_record(f"odd-{at}")) for at in range(len(more))]
    bright = [machine(f"odd-{at}", labels=whole(at)) for at in range(len(more))]
    before = lines(*nodes, *dark, workspaces=workspaces)
    after = lines(*nodes, *bright, workspaces=workspaces)

    for key, balance in before.items():
        for field in FIELDS:
            least, value = explain(balance, field).figure.at_least, number(after[key], field)
            assert least is None or isinstance(value, Unknown) or least <= value


def test_the_way_from_what_is_there_to_what_is_left():
    drawn = lines(
        machine("gpu-01"),
        machine("gpu-02", allocatable={GPU: 7}),
        machine("gpu-03", ready=False),
        machine("gpu-04", cordoned=True),
        workspaces=[a_workspace(given={H100: 12}), a_workspace("other", {H100: 6, T4: 2})],
    )[H100, KUBERNETES]

    healthy = [(BY_LABEL, 32), ("lost: not allocatable", -1), ("not Ready", -8)]
    assert terms(drawn, BalanceField.PHYSICAL) == [(BY_LABEL, 32)]
    assert terms(drawn, BalanceField.HEALTHY) == healthy
    assert terms(drawn, BalanceField.SCHEDULABLE) == [healthy[0], ("cordoned", -8), *healthy[1:]]
    assert terms(drawn, BalanceField.ALLOCATED) == [
        ("given to workspace vision/other", 6),
        ("given to workspace vision/training", 12),
    ]
    assert terms(drawn, BalanceField.AVAILABLE) == [
        *healthy,
        ("given to workspace vision/other", -6),
        ("given to workspace vision/training", -12),
    ]
    assert drawn.available == 32 - 9 - 18


def test_what_is_given_beyond_what_is_healthy_is_a_term_of_both():
    drawn = line(machine(allocatable={GPU: 5}), workspaces=[a_workspace(given={H100: 8})])
    given = "given to workspace vision/training"

    assert terms(drawn, BalanceField.AVAILABLE) == [
        (BY_LABEL, 8),
        ("lost: not allocatable", -3),
        (given, -8),
        ("given beyond what is healthy: the deficit", 3),
    ]
    assert terms(drawn, BalanceField.DEFICIT) == [(given, 8), (BY_LABEL, -8), ("lost: not allocatable", 3)]


def test_what_slurm_may_still_give_machine_by_machine():
    drawn = line(
        a_machine(record=a_record("s-1", SLURM), slurm=a_slurm_node("s-1"), jobs=(a_job("1", {"s-1": 3}),)),
        a_machine(
            record=a_record("s-2", SLURM),
            slurm=a_slurm_node("s-2", ["MIXED", "DRAIN"]),
            jobs=(a_job("2", {"s-2": 4}),),
        ),
        a_machine(record=a_record("s-3", SLURM), slurm=a_slurm_node("s-3", ["DOWN"])),
    )

    assert terms(drawn, BalanceField.AVAILABLE) == [
        (BY_GRES, 24),
        ("down in Slurm", -8),
        ("drained by Slurm or leaving it", -8),
        ("given to Slurm jobs where new work may be placed", -3),
    ]
    assert terms(drawn, BalanceField.ALLOCATED) == [("given to Slurm jobs", 7)]
    assert terms(drawn, BalanceField.USED) == [("held by Slurm jobs", 7)]
    assert terms(drawn, BalanceField.DEFICIT)[-1] == ("healthy beyond what is given", 9)


def test_cards_that_no_record_assigns_have_no_way_to_what_is_given():
    drawn = line(a_machine(a_node()), a_machine(record=a_record("gone", None, claims=8)))

    for field in (BalanceField.ALLOCATED, BalanceField.AVAILABLE, BalanceField.DEFICIT):
        explanation = explain(drawn, field)
        assert explanation.figure.formula == (
            "no number: cards that no record assigns are neither given nor to be given"
        )
        assert (explanation.figure.terms, explanation.excluded) == ((), ())
    assert excluded(drawn, BalanceField.PHYSICAL) == [("gone", 8, "its record is all that names it")]


def test_a_record_that_outlived_its_machine_is_left_out_with_what_it_claims():
    drawn = lines(
        machine("gpu-01", labels=whole(2, T4)),
        a_machine(record=replace(a_record("gone", claims=8), claimed_gpu_type=T4)),
        a_machine(record=replace(a_record("other", claims=8), claimed_gpu_type=H100)),
        a_machine(record=a_record("s-1"), slurm=a_slurm_node("s-1")),
    )

    said = "its record says KUBERNETES, which does not know it"
    assert excluded(drawn[T4, KUBERNETES], BalanceField.PHYSICAL) == [("gone", 8, said)]
    assert excluded(drawn[H100, KUBERNETES], BalanceField.PHYSICAL) == [
        ("other", 8, said),
        ("s-1", None, said),
    ]


def test_machines_of_unknown_type_are_left_out_of_every_other_line():
    drawn = lines(
        machine("gpu-01"), machine("gpu-02", labels=whole(2) | {"nvidia.com/gpu.product": "NVIDIA-X1"})
    )

    said = "its GPU type is not known: neither the platform nor the catalogue knows NVIDIA-X1"
    assert excluded(drawn[H100, KUBERNETES], BalanceField.AVAILABLE) == [("gpu-02", 2, said)]
    assert excluded(drawn[None, KUBERNETES], BalanceField.AVAILABLE) == []
    assert excluded(drawn[H100, KUBERNETES], BalanceField.ALLOCATED) == []


def test_a_machine_whose_cards_nobody_can_count_is_left_out_with_the_reason():
    drawn = lines(machine("gpu-01"), machine("gpu-02", labels=whole("eight")))[H100, KUBERNETES]

    said = "the label nvidia.com/gpu.count says 'eight': no whole number from 0 to 1024"
    assert terms(drawn, BalanceField.PHYSICAL) == [(BY_LABEL, 8), ("not known", None)]
    assert excluded(drawn, BalanceField.PHYSICAL) == [("gpu-02", None, said)]
    assert explain(drawn, BalanceField.PHYSICAL).figure.at_least == 8


@pytest.mark.parametrize(
    ("described", "asks", "said"),
    [
        (
            {"labels": mixed(8), "capacity": {GPU: 6, "nvidia.com/mig-1g.10gb": 14}},
            {"nvidia.com/mig-1g.10gb": 9},
            "pods hold nvidia.com/mig-1g.10gb, which counts slices here and not cards",
        ),
        (
            {"labels": single(7, "1g.10gb"), "capacity": {GPU: 7}},
            {GPU: 9},
            "pods hold nvidia.com/gpu, which counts slices here and not cards",
        ),
        (
            {"labels": shared(2, 4), "capacity": {GPU: 8}},
            {GPU: 9},
            "pods hold nvidia.com/gpu, which counts shares here and not cards",
        ),
    ],
)
def test_slices_and_shares_are_left_out_of_the_cards_in_use(described, asks, said):
    drawn = line(machine(**described, pods=[a_pod(asks=asks)]))

    assert drawn.used == 0
    assert excluded(drawn, BalanceField.USED) == [("gpu-01", 9, said)]
    assert said not in [reason for *_, reason in excluded(drawn, BalanceField.PHYSICAL)]


@pytest.mark.parametrize(
    ("target", "left_out"),
    [
        (KUBERNETES, ("gpu-01", 3, "held by Slurm jobs, and its record says KUBERNETES")),
        (SLURM, ("gpu-01", 2, "held by pods, and its record says SLURM")),
    ],
)
def test_work_of_the_scheduler_that_a_machine_does_not_serve_is_left_out_of_use(target, left_out):
    drawn = line(
        a_machine(
            a_node(),
            a_record(target=target),
            a_slurm_node(),
            pods=(a_pod(asks={GPU: 2}),),
            jobs=(a_job("1", {"gpu-01": 3}),),
        )
    )

    assert excluded(drawn, BalanceField.USED) == [left_out]


def test_silence_is_a_term_and_a_machine_that_may_be_there_is_not_counted():
    drawn = lines(
        a_machine(a_node("gpu-01"), a_record("gpu-01", SLURM), a_slurm_node("gpu-01")),
        a_machine(a_node("gpu-02"), a_record("gpu-02", SLURM), SILENT_SLURM, jobs=SILENT_SLURM),
        slurm_silence=SILENT_SLURM,
    )[H100, SLURM]

    explanation = explain(drawn, BalanceField.PHYSICAL)

    assert terms(drawn, BalanceField.PHYSICAL) == [
        (BY_LABEL, 8),
        ("not known", None),
        ("machines that cannot be seen", None),
    ]
    assert (explanation.figure.value, explanation.figure.at_least) == (SILENT_SLURM, 8)
    assert excluded(drawn, BalanceField.PHYSICAL) == [
        (None, None, "SLURM is silent"),
        ("gpu-02", None, "SLURM is silent"),
    ]
    assert {one.system for one in explanation.excluded} == {System.SLURM}
