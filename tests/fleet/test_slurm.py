import pytest

from tests.builders import a_job

STATES = {
    "RUNNING": True,
    "SUSPENDED": True,
    "CONFIGURING": True,
    "COMPLETING": True,  # 22.05 writes it in the place of how the job ended
    "CANCELLED+COMPLETING": True,
    "COMPLETED": False,
    "CANCELLED": False,
    "FAILED": False,
}


@pytest.mark.parametrize(("state", "holds"), STATES.items())
def test_holds_its_nodes_until_it_has_given_them_back(state, holds):
    assert a_job(state=state).holds_nodes is holds


def test_a_job_that_waits_holds_nothing():
    assert not a_job(cards={}, state="PENDING").holds_nodes


def test_a_job_is_nobodys_child():
    assert a_job().controller is None
