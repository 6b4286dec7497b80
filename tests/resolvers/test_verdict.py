import pytest

from gateway.errors import Invalid
from resolvers.context import Context
from resolvers.verdict import count_judged
from tests.fleets import a_fleet


@pytest.fixture
def context():
    return Context(pin=a_fleet, fleet=a_fleet())


def test_a_request_has_so_many_nodes_judged_and_no_more(context):
    for _ in range(2):
        count_judged(context, 5_000, "fits")

    with pytest.raises(Invalid, match=r"fits: one request has at most 10,000 nodes judged .* takes 5,000"):
        count_judged(context, 5_000, "fits")


def test_one_ask_is_answered_however_large_the_fleet_is(context):
    count_judged(context, 60_000, "fits")

    with pytest.raises(Invalid):
        count_judged(context, 1, "diagnosis")
