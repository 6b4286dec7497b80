from hypothesis import given
from hypothesis import strategies as st

from gateway.fleet.reasons.key import reason_key
from gateway.fleet.reasons.message import read_message

PIECES = (
    "0/3 nodes are available: ",
    "3 Insufficient nvidia.com/gpu",
    ", ",
    ". preemption: ",
    "2/2 tasks in gang unschedulable: ",
    "pod group is not ready, 2 Pending, 2 minAvailable",
    "; Pending: 2 Unschedulable",
    ". Origin reason is work-0: ",
    "queue resource quota insufficient: insufficient cpu",
    "exceeded quota: gpus, requested: ",
    "requests.nvidia.com/gpu=2",
    ", used: ",
    "(combined from similar events): ",
    "OutOfnvidia.com/gpu",
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=9) | st.integers(min_value=0).map(str)))
def test_whatever_is_said_is_read_and_its_numbers_fit_any_store(pieces):
    reason = read_message("".join(pieces))
    assert all(0 <= part.nodes < 10**9 for part in (*reason.parts, *reason.preemption))
    assert 0 <= (reason.total_nodes or 0) < 10**9
    assert reason_key(reason) == reason_key(read_message("".join(pieces)))
