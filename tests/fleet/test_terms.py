import pytest

from gateway.errors import System
from gateway.fleet.platform import Target
from gateway.fleet.terms import (
    free_for_jobs,
    given_to_jobs,
    is_known_to,
    line_of,
    node_cards,
    partitioned_cards,
    schedulable_cards,
    usable_cards,
    used_cards,
)
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node
from tests.fleets import a_machine, silence
from tests.gpu_labels import GPU

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


def test_a_machine_belongs_to_the_line_of_its_type_and_target():
    assert line_of(a_machine(a_node(), a_record())) == ("H100-80GB", Target.KUBERNETES)
    assert line_of(a_machine(a_node(labels={}))) == (None, None)
    assert line_of(GONE) == line_of(UNHEARD) == (None, Target.KUBERNETES)


def test_counts_the_work_of_the_targets_scheduler():
    assert given_to_jobs(BOTH) == 4
    assert used_cards(BOTH, Target.KUBERNETES) == 2
    assert used_cards(BOTH, Target.SLURM) == 4
    assert used_cards(BOTH, None) == 6


def test_slurm_may_still_give_what_it_has_not_given():
    assert free_for_jobs(BOTH) == 4
    drained = a_machine(record=a_record(target=Target.SLURM), slurm=a_slurm_node(states=["IDLE", "DRAIN"]))
    assert free_for_jobs(drained) == 0


TERMS = [node_cards, usable_cards, partitioned_cards]


@pytest.mark.parametrize("term", TERMS)
def test_a_machine_that_is_gone_adds_nothing(term):
    assert term(GONE) is None
    assert schedulable_cards(GONE) == 0
    assert used_cards(GONE, Target.KUBERNETES) == 0


@pytest.mark.parametrize(
    "term", [*TERMS, schedulable_cards, lambda node: used_cards(node, Target.KUBERNETES)]
)
def test_a_machine_that_nobody_tells_of_is_unknown(term):
    assert term(UNHEARD) == SILENT


KNOWN = [(Target.KUBERNETES, True), (Target.SLURM, False), (None, True)]


@pytest.mark.parametrize(("target", "known"), KNOWN)
def test_a_target_knows_the_machines_of_its_system(target, known):
    assert is_known_to(target, a_machine(a_node())) is known
    assert not is_known_to(target, GONE)


def test_a_silent_system_may_know_a_machine():
    assert is_known_to(Target.KUBERNETES, UNHEARD)
