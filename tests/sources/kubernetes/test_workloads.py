import msgspec
import pytest

from gateway.sources.kubernetes.workloads import read_workload

LACKING = {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "4 more needed"}
RESERVED = {"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "in a"}
UNCHECKED = {"type": "Admitted", "status": "False", "reason": "UnsatisfiedChecks", "message": "not checked"}
FINISHED = {"type": "Finished", "status": "True", "reason": "JobFinished", "message": "done"}
JOB = {"kind": "Job", "name": "train", "controller": True}


def read(*conditions, owners=(JOB,)):
    metadata = {"name": "job-train", "namespace": "vision", "uid": "u", "ownerReferences": owners}
    body = {"metadata": metadata, "status": {"conditions": conditions}}
    return read_workload("fleet", msgspec.Raw(msgspec.json.encode(body)), [])


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ([LACKING], "4 more needed"),
        ([RESERVED, UNCHECKED], "not checked"),
        ([RESERVED], None),
        ([LACKING, FINISHED], None),
        ([], None),
    ],
)
def test_a_workload_waits_while_quota_or_admission_is_refused_and_it_has_not_ended(conditions, message):
    waits = read(*conditions).waits
    assert (waits.message if waits else None) == message


def test_it_stands_for_the_job_that_owns_it():
    assert read(LACKING).owner == "Job/train"
    assert read(LACKING, owners=[{"kind": "Job", "name": "train"}]).owner is None
