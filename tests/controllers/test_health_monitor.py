from datetime import timedelta

import pytest

from gateway.controllers.health_monitor import HealthMonitor
from gateway.controllers.leadership import Candidate, Leadership
from gateway.errors import SourceUnavailable, System
from gateway.fleet.health_reason import HealthCode
from tests.builders import CLUSTER, a_node, a_record, some_records
from tests.fakes.election import FakeElection
from tests.fakes.ledger import FakeHealthLedger, FakeNodeLedger
from tests.fakes.time import FakeTime
from tests.fleets import FRESH, NEVER, NODES, a_keeper


class Watch:
    """A monitor of two machines on record and one that is not."""

    def __init__(self, *, leads=True):
        self.time = FakeTime()
        self.records = FakeHealthLedger()
        nodes = [a_node(name) for name in ("gpu-01", "gpu-02", "gpu-03")]
        records = some_records([a_record("gpu-01"), a_record("gpu-02")])
        self.keeper = a_keeper(nodes, records=records, clock=self.time)
        candidate = Candidate(cluster=CLUSTER, holder="pod-a", max_in_change=1)
        self.election = FakeElection(leads=leads)
        self.leadership = Leadership(candidate, self.election, FakeNodeLedger(self.time))
        self.monitor = HealthMonitor(self.leadership, self.records, self.keeper.pin, self.time.sleep)

    def hears(self, *nodes):
        told = {one.name: one for one in nodes}
        self.keeper.replace(NODES, told, FRESH.succeeded(self.time()))

    async def look(self):
        await self.leadership.reign()
        await self.monitor.look()

    @property
    def told(self):
        return [sorted(reports) for _, reports in self.records.reports]


async def test_the_health_of_machines_on_record_is_told_and_nothing_of_the_others():
    watch = Watch()

    await watch.look()

    ((cluster, reports),) = watch.records.reports
    assert (cluster, sorted(reports)) == (CLUSTER, ["gpu-01", "gpu-02"])
    assert (reports["gpu-01"].healthy, reports["gpu-01"].checked_at) == (True, watch.time())


async def test_what_changed_is_told_at_once_and_what_did_not_after_a_minute():
    watch = Watch()
    await watch.look()
    watch.time.pass_by(timedelta(seconds=30))
    watch.hears(a_node("gpu-01", ready=False), a_node("gpu-02"))
    await watch.look()
    watch.time.pass_by(timedelta(seconds=30))
    await watch.look()

    assert watch.told == [["gpu-01", "gpu-02"], ["gpu-01"], ["gpu-02"]]
    ill = watch.records.reports[1][1]["gpu-01"]
    assert (ill.healthy, [reason.code for reason in ill.reasons]) == (False, [HealthCode.NOT_READY])


async def test_nothing_is_told_of_a_machine_whose_health_is_not_known():
    watch = Watch()
    watch.keeper.touch(NODES, NEVER)

    await watch.look()

    assert watch.told == []


async def test_who_does_not_lead_tells_nothing_and_tells_all_when_it_leads_again():
    watch = Watch(leads=False)
    await watch.look()
    assert watch.told == []

    watch.election.leads = True
    await watch.look()
    watch.election.leads = False
    await watch.look()
    watch.election.leads = True
    await watch.look()

    assert watch.told == [["gpu-01", "gpu-02"]] * 2


async def test_a_silent_database_is_waited_for_twice_as_long_each_time_and_then_told():
    watch, waited = Watch(), []
    await watch.leadership.reign()
    report = watch.records.report

    async def silent(*_):
        raise SourceUnavailable(System.PLATFORM, "no answer")

    async def sleep(seconds):
        waited.append(seconds)
        if len(waited) == 5:
            watch.records.report = report
        if len(waited) == 7:
            raise ZeroDivisionError
        await watch.time.sleep(seconds)

    watch.records.report = silent
    with pytest.raises(ZeroDivisionError):
        await HealthMonitor(watch.leadership, watch.records, watch.keeper.pin, sleep).run()

    assert waited == [10, 20, 40, 60, 60, 5, 5]
    assert watch.told[0] == ["gpu-01", "gpu-02"]
