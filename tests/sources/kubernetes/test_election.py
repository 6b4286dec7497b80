import pytest

from gateway.simulator.faults import WireFault
from gateway.sources.kubernetes.election import Seat
from tests.contracts.lease_election import LeaseElectionContract
from tests.sources.kubernetes.simulated import simulated


@pytest.fixture
async def peer():
    async with simulated() as one:
        yield one


class TestSimulatedElection(LeaseElectionContract):
    async def test_leading_ends_by_the_clock_where_the_server_is_gone(self, candidate, clock, peer, caplog):
        first = candidate("first")
        await first.tenure()
        await peer.listener.stop()
        clock.seconds += 4
        assert (await first.tenure()).left_seconds < 10
        clock.seconds += 10
        assert not (await first.tenure()).is_leader
        assert "is not renewed" in caplog.text

    async def test_leading_ends_by_the_clock_where_what_the_server_says_cannot_be_read(
        self, candidate, clock, peer
    ):
        first = candidate("first")
        await first.tenure()
        peer.api.fault = WireFault.GARBAGE
        clock.seconds += 14
        assert not (await first.tenure()).is_leader
        peer.api.fault = None

    async def test_resigning_from_a_server_that_is_gone_ends_leading_all_the_same(self, candidate, peer):
        first = candidate("first")
        await first.tenure()
        await peer.listener.stop()
        await first.resign()
        assert not (await first.tenure()).is_leader

    async def test_a_lease_that_may_not_be_written_is_told(self, candidate, peer, caplog):
        peer.api.writer.admission = lambda what, _: f"no {what} for you"
        assert not (await candidate("first").tenure()).is_leader
        assert "no leases for you" in caplog.text

    async def test_what_is_wrong_for_long_is_told_once_and_again_after_it_was_well(
        self, candidate, clock, peer, caplog
    ):
        first = candidate("first")
        for _ in range(2):
            peer.api.fault = WireFault.GARBAGE
            for _ in range(5):
                clock.seconds += 4
                await first.tenure()
            peer.api.fault = None
            clock.seconds += 4
            assert (await first.tenure()).is_leader
        assert caplog.text.count("is not renewed") == 2


def test_the_seat_is_the_same_for_all_replicas():
    assert Seat(namespace="gpu-gateway").name == "gpu-gateway-controllers"
