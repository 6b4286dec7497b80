from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.grounds import basis_of, loss_of
from gateway.fleet.health_reason import HealthCode, HealthReason
from gateway.fleet.node import NodeHealth
from tests.builders import a_node
from tests.fleets import a_machine

GPUS = a_machine(a_node()).gpus


def lost(*codes):
    reasons = tuple(HealthReason(code=code, message="said so") for code in codes)
    return NodeHealth(healthy=False, reasons=reasons, expected_cards=8, usable_cards=0)


@pytest.mark.parametrize("basis", CardsBasis)
def test_every_rule_that_counts_cards_has_words_of_its_own(basis):
    ground = basis_of(replace(GPUS, cards_basis=basis))

    assert ground.label.startswith("counted ")
    others = {basis_of(replace(GPUS, cards_basis=one)).label for one in CardsBasis if one is not basis}
    assert ground.label not in others
    assert ground.system is (System.SLURM if basis is CardsBasis.SLURM_GRES else System.KUBERNETES)


def test_the_first_reason_says_why_cards_are_lost():
    assert loss_of(lost(HealthCode.NOT_READY, HealthCode.NO_CAPACITY)).label == "not Ready"
    assert loss_of(lost(HealthCode.SLURM_DOWN)).system is System.SLURM


def test_a_reason_that_has_no_words_is_told_as_a_loss():
    assert loss_of(lost(HealthCode.OTHER)).label == loss_of(lost()).label == "not usable"
