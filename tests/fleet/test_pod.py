import pytest

from tests.builders import a_pod

HOLDING = {
    "runs": (a_pod(), True),
    "is bound and waits for its devices": (a_pod(phase="Pending"), True),
    "is being deleted": (a_pod(terminating=True), True),
    "is not bound": (a_pod(node=None), False),
    "succeeded": (a_pod(phase="Succeeded"), False),
    "failed": (a_pod(phase="Failed"), False),
    "asks for none": (a_pod(asks={}), False),
}


@pytest.mark.parametrize(("pod", "holds"), HOLDING.values(), ids=HOLDING.keys())
def test_holds_gpus_from_when_it_is_bound_until_it_ended(pod, holds):
    assert pod.holds_gpus is holds


def test_nobody_says_who_asked_for_it():
    assert a_pod().user is None
