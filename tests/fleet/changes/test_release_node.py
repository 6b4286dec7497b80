from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.change import ReleaseNode
from gateway.fleet.changes.judge import judge
from gateway.fleet.merge import RECORDS
from gateway.fleet.problem import ProblemCode
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from tests.builders import CLUSTER, a_job, a_node, a_pod, a_record, a_slurm_node, some_records
from tests.fleet.changes.cases import GPU_01, a_wish, in_progress, told
from tests.fleets import FRESH, NEVER, PODS, SLURM_JOBS, a_fleet, a_keeper
from tests.listed import a_claim, a_gpu, a_slice

POD, JOB = a_pod(), a_job("7")
SLICES, CLAIMS = (
    SourceKey(System.KUBERNETES, CLUSTER, kind) for kind in ("resourceslices", "resourceclaims")
)


def keeper(record=None):
    return a_keeper(
        [a_node()],
        [POD, a_pod("cpu", asks={})],
        some_records([record or a_record()]),
        slurm_nodes=[a_slurm_node()],
        jobs=[JOB, a_job("8", state="PENDING")],
    )


def to_release(*acknowledged):
    return ReleaseNode(**GPU_01, acknowledged=frozenset(acknowledged))


def test_work_of_both_schedulers_must_be_acknowledged():
    judged = judge(to_release(POD.id), keeper().pin())
    assert judged.problem.code is ProblemCode.WORKLOADS_RUNNING
    assert judged.problem.unacknowledged == (JOB,)
    assert judged.problem.message.startswith("work runs on gpu-01: job 7 of Slurm island; ")
    assert set(judged.impact.workloads) == {POD, JOB}
    assert judge(to_release(POD.id, JOB.id), keeper().pin()).problem is None


def test_work_goes_on_where_it_is():
    impact = judge(to_release(), keeper().pin()).impact
    assert (impact.evicts, impact.cards) == (False, 8)
    assert impact.message == (
        "gpu-01 is taken back from vision; "
        "2 workloads (2 of which nothing makes again) there would go on without it"
    )


@pytest.mark.parametrize("key", [PODS, SLURM_JOBS])
def test_while_a_scheduler_is_silent_nobody_knows_what_runs_there(key):
    told_of = keeper()
    told_of.touch(key, NEVER)
    judged = judge(to_release(POD.id, JOB.id), told_of.pin())
    assert judged.problem.code is ProblemCode.SOURCE_SILENT
    assert judged.problem.message.startswith("which work runs on gpu-01 is not known: ")


@pytest.mark.parametrize("record", [a_record(target=None, tenant=None), None], ids=["free", "unrecorded"])
def test_what_nobody_holds_is_free_already(record):
    fleet = a_fleet([a_node()], [POD], some_records([record] if record else []))
    judged = judge(to_release(), fleet)
    assert (judged.problem, judged.impact.workloads) == (None, ())
    assert judged.impact.message == "gpu-01 is held by nobody: nothing changes"


def test_a_record_whose_machine_left_is_given_back():
    assert judge(to_release(), a_fleet(records=some_records([a_record()]))).problem is None


def test_a_record_of_a_cluster_that_is_not_configured_any_more_is_given_back():
    fleet = a_fleet(records=some_records([a_record(cluster="old")]))
    assert judge(replace(to_release(), cluster="old"), fleet).problem is None


def test_a_machine_in_the_midst_of_a_change_is_not_given_back():
    judged = judge(to_release(POD.id, JOB.id), keeper(in_progress(a_wish())).pin())
    assert (judged.problem.code, judged.problem.retryable) == (ProblemCode.OTHER, True)


def test_a_machine_is_one_that_there_is():
    assert told(judge(replace(to_release(), node="gpu-02"), keeper().pin()))[0] == "NOT_FOUND"


def test_while_the_records_are_silent_nobody_knows_the_holder():
    told_of = keeper()
    told_of.touch(RECORDS, NEVER)
    judged = judge(to_release(), told_of.pin())
    assert judged.problem.code is ProblemCode.SOURCE_SILENT
    assert judged.impact.message.startswith("gpu-01 is taken back from its tenant; ")


def drawn(given, contact=FRESH):
    """A machine whose devices a driver lists, some of them given to claims."""
    told_of = a_keeper([a_node(labels={}, capacity={})], [], some_records([a_record()]))
    told_of.replace(SLICES, {"s": a_slice("gpu-01", [a_gpu(0)])}, FRESH)
    told_of.replace(CLAIMS, {"c": a_claim("c", *given)}, FRESH)
    told_of.touch(CLAIMS, contact)
    return told_of.pin()


def test_devices_that_were_given_to_claims_are_held_by_work_that_nobody_can_name():
    judged = judge(to_release(), drawn(["gpu-0"]))
    assert judged.problem.code is ProblemCode.UNDETERMINED
    assert "claims were given devices of gpu-01" in judged.problem.message
    assert isinstance(judged.impact.workloads, Unknown)


def test_devices_that_no_claim_was_given_are_free():
    assert judge(to_release(), drawn([])).problem is None


def test_while_claims_are_silent_nobody_knows_who_holds_devices():
    assert judge(to_release(), drawn([], NEVER)).problem.code is ProblemCode.SOURCE_SILENT
