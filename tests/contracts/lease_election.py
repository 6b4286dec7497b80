"""Who leads, and since when others may think so, whoever keeps the Lease."""

import asyncio
import secrets
from datetime import UTC, datetime, timedelta

import pytest

from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.election import LeaseElection, Seat
from tests.contracts.kubernetes_peer import NAMESPACE

LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"


class Hand:
    """A clock that a test moves."""

    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


class Wall:
    """A clock on a wall, which may be wrong."""

    def __init__(self):
        self.now = datetime(2026, 5, 1, tzinfo=UTC)

    def move(self, seconds):
        self.now += timedelta(seconds=seconds)

    def __call__(self):
        return self.now


class LeaseElectionContract:
    """A subclass has a fixture `peer`."""

    @pytest.fixture
    async def api(self, peer):
        opened = Api(peer.access)
        yield opened
        await opened.close()
        await peer.clean()

    @pytest.fixture
    def clock(self):
        return Hand()

    @pytest.fixture
    def wall(self):
        return Wall()

    @pytest.fixture
    def path(self, peer):
        at = f"{LEASES}/lease-{secrets.token_hex(4)}"
        peer.made.append(at)
        return at

    @pytest.fixture
    def candidate(self, api, clock, wall, path):
        def stand(name):
            seat = Seat(namespace=NAMESPACE, name=path.rpartition("/")[2])
            return LeaseElection(api, seat, name, clock=clock, wall=wall)

        return stand

    async def test_the_first_leads_for_less_than_the_others_wait(self, candidate, peer, path):
        tenure = await candidate("first").tenure()
        assert tenure.is_leader
        assert 10 < tenure.left_seconds < 15
        spec = (await peer.request("GET", path))["spec"]
        assert (spec["holderIdentity"], spec["leaseDurationSeconds"]) == ("first", 15)
        assert (spec["renewTime"], spec["leaseTransitions"]) == ("2026-05-01T00:00:00.000000Z", 0)

    async def test_another_does_not_lead_beside_it(self, candidate):
        await candidate("first").tenure()
        tenure = await candidate("second").tenure()
        assert (tenure.is_leader, tenure.left_seconds) == (False, 0)

    async def test_of_many_at_once_one_leads(self, candidate):
        many = [candidate(f"candidate-{number}") for number in range(6)]
        tenures = await asyncio.gather(*(one.tenure() for one in many))
        assert sum(tenure.is_leader for tenure in tenures) == 1

    async def test_who_renews_leads_on_and_nobody_takes_it(self, candidate, clock, wall, peer, path):
        first, second = candidate("first"), candidate("second")
        for _ in range(12):
            assert (await first.tenure()).is_leader
            assert not (await second.tenure()).is_leader
            clock.seconds += 4
            wall.move(4)
        assert (await peer.request("GET", path))["spec"]["leaseTransitions"] == 0

    async def test_a_lease_that_stands_still_is_taken_once_one_has_seen_it_so_for_its_time(
        self, candidate, clock, wall, peer, path
    ):
        await candidate("first").tenure()
        second = candidate("second")
        wall.move(9_999_999)
        assert not (await second.tenure()).is_leader
        clock.seconds += 14
        assert not (await second.tenure()).is_leader
        clock.seconds += 3
        assert (await second.tenure()).is_leader
        spec = (await peer.request("GET", path))["spec"]
        assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("second", 1)

    async def test_the_one_who_slept_does_not_lead_when_it_wakes(self, candidate, clock):
        first, second = candidate("first"), candidate("second")
        await first.tenure()
        await second.tenure()
        clock.seconds += 20
        assert (await second.tenure()).is_leader
        assert not (await first.tenure()).is_leader

    async def test_it_is_not_renewed_before_it_is_due(self, candidate, clock, peer, path):
        first = candidate("first")
        await first.tenure()
        before = (await peer.request("GET", path))["metadata"]["resourceVersion"]
        clock.seconds += 1
        tenure = await first.tenure()
        assert tenure.left_seconds < 13
        assert (await peer.request("GET", path))["metadata"]["resourceVersion"] == before

    async def test_who_resigns_leaves_it_to_the_next_at_once(self, candidate):
        first = candidate("first")
        await first.tenure()
        await first.resign()
        assert (await candidate("second").tenure()).is_leader

    async def test_who_does_not_lead_takes_nothing_from_the_leader_by_resigning(self, candidate, peer, path):
        await candidate("first").tenure()
        await candidate("second").resign()
        assert (await peer.request("GET", path))["spec"]["holderIdentity"] == "first"

    async def test_a_pause_is_read_at_the_next_renewal_and_outlives_it(self, candidate, clock, peer, path):
        first = candidate("first")
        assert (await first.tenure()).paused_by is None
        await peer.patch(path, {"metadata": {"annotations": {"gpu-gateway/paused": "ada"}}})
        clock.seconds += 4
        tenure = await first.tenure()
        assert (tenure.is_leader, tenure.paused_by) == (True, "ada")
        clock.seconds += 4
        assert (await first.tenure()).paused_by == "ada"
        await peer.patch(path, {"metadata": {"annotations": {"gpu-gateway/paused": None}}})
        clock.seconds += 4
        assert (await first.tenure()).paused_by is None

    async def test_one_that_was_deleted_is_made_anew(self, candidate, clock, peer, path):
        first = candidate("first")
        await first.tenure()
        await peer.request("DELETE", path)
        clock.seconds += 4
        assert (await first.tenure()).is_leader
