import pytest

from gateway.errors import System
from gateway.fleet.platform import Target
from gateway.fleet.terms import (
    allocated_pieces,
    available_pieces,
    given_to_jobs,
    healthy_pieces,
    held_by_pods,
    is_known_to,
    line_of,
    node_cards,
    partitioned_pieces,
    physical_pieces,
    schedulable_pieces,
    usable_cards,
    used_pieces,
)
from gateway.fleet.unknown import UnknownCode
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node
from tests.fleets import a_machine, silence
from tests.gpu_labels import GPU, mixed, whole

KUBERNETES, SLURM = Target.KUBERNETES, Target.SLURM
SILENT = silence(System.KUBERNETES)
GONE = a_machine(record=a_record())
UNHEARD = a_machine(SILENT, a_record(), pods=SILENT)
BOTH = a_machine(
    a_node(),
    a_record(target=None),
    a_slurm_node(),
    pods=(a_pod(asks={GPU: 2}),),
    jobs=(a_job("1", {"gpu-01": 3, "gpu-02": 8}), a_job("2", {"gpu-01": 1})),
)
BY_LABEL = ("counted by the label nvidia.com/gpu.count", 8, "gpu-01")


def told(pieces):
    return [(piece.ground.label, piece.cards, piece.subject.name) for piece in pieces]


def of_slurm(jobs=(), **described):
    return a_machine(record=a_record(target=SLURM), slurm=a_slurm_node(**described), jobs=jobs)


def test_a_machine_belongs_to_the_line_of_its_type_and_target():
    assert line_of(a_machine(a_node(), a_record())) == ("H100-80GB", KUBERNETES)
    assert line_of(a_machine(a_node(labels={}))) == (None, None)
    assert line_of(GONE) == line_of(UNHEARD) == (None, KUBERNETES)


def test_cards_are_counted_by_a_rule():
    by_slurm = of_slurm()

    assert told(physical_pieces(BOTH)) == [BY_LABEL]
    assert told(physical_pieces(by_slurm)) == [("counted by Slurm's GRES", 8, "gpu-01")]


@pytest.mark.parametrize(
    ("node", "why", "cards"),
    [
        (a_machine(a_node(ready=False)), "not Ready", -8),
        (a_machine(a_node(allocatable={GPU: 5})), "lost: not allocatable", -3),
        (a_machine(a_node(capacity={GPU: 0})), "expected, and the machine offers none", -8),
        (a_machine(a_node(allocatable={GPU: 0})), "the device plugin does not serve", -8),
    ],
)
def test_what_work_cannot_use_is_taken_away_for_its_first_reason(node, why, cards):
    assert told(healthy_pieces(node)) == [BY_LABEL, (why, cards, "gpu-01")]


def test_what_slurm_calls_down_is_taken_away_in_its_name():
    first, lost = healthy_pieces(of_slurm(states=["DOWN"]))

    assert (first.cards, lost.cards, lost.ground.label) == (8, -8, "down in Slurm")
    assert lost.ground.system is System.SLURM


def test_a_dead_machine_adds_nothing_however_many_cards_it_has():
    dead = a_machine(a_node(labels=whole("eight"), ready=False))

    assert told(healthy_pieces(dead)) == [("not Ready", 0, "gpu-01")]


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (a_machine(a_node(cordoned=True)), "cordoned"),
        (a_machine(a_node(taints=["ToBeDeletedByClusterAutoscaler"])), "leaving the cluster"),
        (of_slurm(states=["IDLE", "DRAIN"]), "drained by Slurm or leaving it"),
    ],
)
def test_the_usable_cards_of_a_closed_machine_are_taken_away(node, why):
    *_, closed = told(schedulable_pieces(node))

    assert closed == (why, -8, "gpu-01")


def test_of_a_closed_machine_without_usable_cards_there_is_nothing_left_to_take_away():
    dead = a_machine(a_node(ready=False, cordoned=True))

    assert told(schedulable_pieces(dead)) == [BY_LABEL, ("not Ready", -8, "gpu-01")]


def test_a_closed_machine_adds_nothing_however_many_cards_it_has():
    closed = a_machine(a_node(labels=whole("eight"), cordoned=True))

    assert told(schedulable_pieces(closed)) == [("cordoned", 0, "gpu-01")]


def test_cards_that_are_cut_are_counted_where_there_are_any():
    cut = a_machine(a_node(labels=mixed(8), capacity={GPU: 6, "nvidia.com/mig-1g.10gb": 14}))

    assert told(partitioned_pieces(cut)) == [("cut into slices", 2, "gpu-01")]
    assert partitioned_pieces(BOTH) == ()


def test_counts_the_work_of_the_targets_scheduler():
    by_pods = ("held by pods", 2, "gpu-01")
    by_jobs = [("held by Slurm jobs", 3, "train"), ("held by Slurm jobs", 1, "train")]

    assert told(used_pieces(BOTH, KUBERNETES)) == [by_pods]
    assert told(used_pieces(BOTH, SLURM)) == by_jobs
    assert told(used_pieces(BOTH, None)) == [by_pods, *by_jobs]
    assert (held_by_pods(BOTH), given_to_jobs(BOTH)) == (2, 4)


def test_what_pods_hold_stays_known_while_the_jobs_are_not():
    node = a_machine(a_node(), slurm=a_slurm_node(), pods=(a_pod(),), jobs=silence(System.SLURM))

    assert told(used_pieces(node, None)) == [
        ("held by pods", 1, "gpu-01"),
        ("not known", silence(System.SLURM), "gpu-01"),
    ]


def test_what_slurm_gave_is_told_job_by_job():
    assert told(allocated_pieces(BOTH)) == [
        ("given to Slurm jobs", 3, "train"),
        ("given to Slurm jobs", 1, "train"),
    ]


def test_a_job_that_cannot_be_read_leaves_its_machine_unknown():
    lost = silence(System.SLURM, code=UnknownCode.UNDETERMINED)
    (piece,) = allocated_pieces(of_slurm(jobs=(a_job("7", lost), a_job("8", {"gpu-01": 1}))))

    assert (piece.cards.reason, piece.subject.name) == ("7: SLURM is silent", "gpu-01")


TAKEN = "given to Slurm jobs where new work may be placed"


@pytest.mark.parametrize(("given", "taken"), [(3, [-3]), (8, [-8]), (11, [-8]), (0, [])])
def test_slurm_may_still_give_what_it_has_not_given(given, taken):
    node = of_slurm(jobs=(a_job("1", {"gpu-01": given}),))

    counted, *rest = told(available_pieces(node))

    assert counted == ("counted by Slurm's GRES", 8, "gpu-01")
    assert rest == [(TAKEN, cards, "gpu-01") for cards in taken]


def test_of_a_drained_machine_slurm_gives_nothing_whatever_is_given_there():
    for jobs in ((a_job("1", {"gpu-01": 3}),), silence(System.SLURM)):
        pieces = available_pieces(of_slurm(jobs=jobs, states=["MIXED", "DRAIN"]))
        assert [piece.cards for piece in pieces] == [8, -8]


def test_what_is_left_of_a_machine_is_not_known_while_its_jobs_are_not():
    (piece,) = available_pieces(of_slurm(jobs=silence(System.SLURM)))

    assert piece.cards == silence(System.SLURM)


PIECES = [
    physical_pieces,
    healthy_pieces,
    schedulable_pieces,
    partitioned_pieces,
    available_pieces,
    lambda node: used_pieces(node, KUBERNETES),
]


@pytest.mark.parametrize("pieces", [*PIECES, allocated_pieces])
def test_a_machine_that_is_gone_adds_nothing(pieces):
    assert pieces(GONE) == ()
    assert node_cards(GONE) is usable_cards(GONE) is None


@pytest.mark.parametrize("pieces", PIECES)
def test_a_machine_that_nobody_tells_of_is_unknown(pieces):
    assert told(pieces(UNHEARD)) == [("not known", SILENT, "gpu-01")]


KNOWN = [(KUBERNETES, True), (SLURM, False), (None, True)]


@pytest.mark.parametrize(("target", "known"), KNOWN)
def test_a_target_knows_the_machines_of_its_system(target, known):
    assert is_known_to(target, a_machine(a_node())) is known
    assert not is_known_to(target, GONE)


def test_a_silent_system_may_know_a_machine():
    assert is_known_to(KUBERNETES, UNHEARD)
