from dataclasses import replace

import pytest

from gateway.fleet.change import AssignNode
from gateway.fleet.changes.judge import judge
from gateway.fleet.merge import RECORDS
from gateway.fleet.platform import Target
from gateway.fleet.problem import ProblemCode
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, a_workspace, some_records
from tests.fleet.changes.cases import GPU_01, a_wish, in_progress, told
from tests.fleets import FRESH, NEVER, PODS, SLURM_JOBS, a_keeper

FREE = a_record(target=None, tenant=None)


def keeper(record=FREE):
    """A free machine with a pod and a job on it, and a tenant that holds nothing."""
    return a_keeper(
        [a_node()],
        [a_pod()],
        some_records([record] if record else [], [a_workspace()]),
        slurm_nodes=[a_slurm_node()],
        jobs=[a_job("7")],
    )


def to(target, acknowledged=(), tenant="vision"):
    return AssignNode(**GPU_01, tenant=tenant, target=target, acknowledged=frozenset(acknowledged))


OTHERS = {
    "pods": (Target.SLURM, a_pod(), "work holds gpu-01: pod training/work-0; "),
    "jobs": (Target.KUBERNETES, a_job("7"), "work holds gpu-01: job 7 of Slurm island; "),
}


@pytest.mark.parametrize(("target", "other", "message"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("record", [FREE, None], ids=["recorded", "unrecorded"])
def test_work_of_the_scheduler_that_is_not_served_must_be_acknowledged(record, target, other, message):
    fleet = keeper(record).pin()
    judged = judge(to(target), fleet)
    assert judged.problem.code is ProblemCode.WORKLOADS_RUNNING
    assert judged.problem.message.startswith(message)
    assert judged.problem.unacknowledged == judged.impact.workloads == (other,)
    assert not judged.impact.evicts
    assert judge(to(target, [other.id]), fleet).problem is None


def test_the_impact_tells_what_goes_on_without_a_claim():
    impact = judge(to(Target.SLURM), keeper().pin()).impact
    assert impact.cards == 8
    assert impact.message == (
        "gpu-01 serves SLURM for vision from then on; "
        "1 workload (1 of which nothing makes again) of the other scheduler there would go on without it"
    )


@pytest.mark.parametrize(("key", "target"), [(PODS, Target.SLURM), (SLURM_JOBS, Target.KUBERNETES)])
def test_while_the_other_scheduler_is_silent_nobody_knows_what_it_has_there(key, target):
    told_of = keeper()
    told_of.touch(key, NEVER)
    judged = judge(to(target), told_of.pin())
    assert judged.problem.code is ProblemCode.SOURCE_SILENT
    assert "an unknown number of workloads" in judged.impact.message


def test_a_machine_without_other_work_is_given_away_quietly():
    told_of = keeper()
    told_of.replace(PODS, {}, FRESH)
    judged = judge(to(Target.SLURM), told_of.pin())
    assert (judged.problem, judged.impact.message) == (None, "gpu-01 serves SLURM for vision from then on")


def test_a_tenant_is_one_that_there_is():
    judged = judge(to(Target.SLURM, tenant="vison"), keeper().pin())
    assert judged.impact is None
    assert told(judged) == (
        "NOT_FOUND",
        ("tenant",),
        "there is no tenant 'vison'; there is vision",
    )


def test_a_machine_is_one_that_there_is():
    judged = judge(replace(to(Target.SLURM), node="gpu-02"), keeper().pin())
    assert (told(judged)[:2], judged.impact) == (("NOT_FOUND", ("node", "name")), None)


def test_what_is_acknowledged_is_an_id_of_a_workload():
    assert told(judge(to(Target.SLURM, ["x"]), keeper().pin()))[:2] == ("INVALID", ("acknowledgedWorkloads",))


def test_who_holds_it_already_needs_nothing_acknowledged():
    fleet = keeper(a_record(target=Target.SLURM)).pin()
    judged = judge(to(Target.SLURM), fleet)
    assert (judged.problem, judged.impact.workloads) == (None, ())
    assert judged.impact.message == "gpu-01 serves SLURM for vision already: nothing changes"


def test_somebody_elses_machine_is_not_given_away():
    fleet = keeper(a_record(tenant="audio")).pin()
    assert judge(to(Target.KUBERNETES), fleet).problem.code is ProblemCode.FOREIGN_OWNER


def test_a_machine_in_the_midst_of_a_change_is_not_given_away():
    fleet = keeper(in_progress(a_wish(FREE))).pin()
    assert judge(to(Target.KUBERNETES), fleet).problem.retryable


def test_while_the_records_are_silent_nobody_knows_the_tenants():
    told_of = keeper()
    told_of.touch(RECORDS, NEVER)
    assert told(judge(to(Target.SLURM), told_of.pin()))[:2] == ("SOURCE_SILENT", ("tenant",))
