import msgspec
import pytest

from gateway.fleet.gpu import GpuClaim
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from gateway.sources.slurm.jobs import read_job
from tests.sources.slurm.jobs import NOT_SET, WAITING, WITHOUT_LIMIT, cards, number, one, record


def test_gpus_are_told_apart_by_node_in_the_order_of_the_host_list():
    assert record().node_names == ("gpu-01", "gpu-02")
    assert record().node_gpus == (("gpu-01", 8), ("gpu-02", 2))
    assert record().gpus == cards(10, "h100")


def test_slices_are_no_cards():
    job = record(nodes="gpu-01", gres_detail=["gpu:h100:1(IDX:0),gpu:h100_3g.40gb:2(IDX:1,2)"])
    assert job.node_gpus == (("gpu-01", 1),)
    assert job.gpus == (
        *cards(1, "h100"),
        GpuClaim(resource="gres/gpu:h100_3g.40gb", unit=GpuUnit.SLICE, count=2),
    )


def test_details_of_another_number_of_nodes_tell_of_none():
    item = one(nodes="gpu-01")
    assert item.record
    assert isinstance(item.record.node_gpus, Unknown)
    assert item.record.gpus == cards(10, "h100")
    assert item.problems[0].path == "gres_detail"


def test_a_running_job_without_details_holds_an_unknown_number_if_it_asked_for_gpus():
    job = record(gres_detail=[], tres_per_node="gres/gpu:h100:4")
    assert job.gpus == cards(8, "h100")
    assert isinstance(job.node_gpus, Unknown)
    assert record(gres_detail=[]).node_gpus == ()
    assert record(gres_detail=[]).gpus == ()


@pytest.mark.parametrize(
    ("tres", "expected"),
    [
        ("cpu=4,gres/gpu=1", cards(1)),
        ("gres/gpu=8,gres/gpu:h100=8", cards(8, "h100")),
        ("gres/gpu=8,gres/gpu:h100=4", cards(8)),
    ],
)
def test_typed_gpus_of_a_tres_are_not_counted_twice(tres: str, expected: tuple[GpuClaim, ...]):
    assert record(gres_detail=[], tres_alloc_str=tres).gpus == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"tres_per_job": "gres/gpu:16", "tres_per_node": "gres/gpu:8"}, cards(16)),
        ({"tres_per_node": "gres/gpu:h100:8"}, cards(16, "h100")),
        ({"tres_per_node": "gres/gpu"}, cards(2)),
        ({"tres_per_task": "cpu=2,gres/gpu:t4=1"}, cards(4, "t4")),
        ({"tres_req_str": "cpu=4,gres/gpu=3"}, cards(3)),
        ({"tres_per_node": "gres/craynetwork:2"}, ()),
    ],
)
def test_a_waiting_job_asks_for_as_many_gpus_as_its_request_comes_to(
    asked: dict[str, object], expected: tuple[GpuClaim, ...]
):
    job = record(WAITING, **asked)
    assert job.gpus == expected
    assert job.node_gpus == ()


@pytest.mark.parametrize("node_count", [NOT_SET, WITHOUT_LIMIT, number(4294967294), number(-3), 2, None])
def test_a_request_by_node_is_unknown_while_the_number_of_nodes_is(node_count: object):
    item = one(WAITING, tres_per_node="gres/gpu:8", node_count=node_count)
    assert item.record
    assert isinstance(item.record.gpus[0].count, Unknown)
    assert item.problems[0].path == "node_count"


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        (4294967294, "is not set"),
        (65534, "is not set"),
        (-2, "is not set"),
        (None, "is not set"),
        (4294967295, "has no limit"),
        (-1, "has no limit"),
    ],
)
def test_a_marker_of_22_05_is_no_number(marker: object, problem: str):
    old = WAITING | {
        "job_state": "PENDING",
        "node_count": marker,
        "tasks": 1,
        "submit_time": 1795970495,
        "start_time": 0,
        "tres_per_node": "gres:gpu:8",
    }
    item = read_job(msgspec.Raw(msgspec.json.encode(old)), 38, "lab", 0)
    assert item.record
    assert isinstance(item.record.gpus[0].count, Unknown)
    assert [(found.path, found.text) for found in item.problems] == [("node_count", problem)]


def test_more_gpus_than_there_can_be_are_unknown():
    (claim,) = record(WAITING, tres_per_node="gres/gpu:2000000000").gpus
    assert isinstance(claim.count, Unknown)


@pytest.mark.parametrize("details", [None, ["gpu:h100:many", "gpu:h100:2"], [8, 2]])
def test_details_that_cannot_be_read_leave_open_what_is_held(details: object):
    item = one(gres_detail=details, tres_per_node="gres/gpu:h100:8")
    assert item.record
    assert isinstance(item.record.node_gpus, Unknown)
    assert item.record.gpus == cards(16, "h100")
    assert item.problems[0].path == "gres_detail"


def test_a_request_by_socket_is_unknown_and_nothing_was_skipped():
    item = one(WAITING, tres_per_socket="gres/gpu:2")
    assert item.record
    assert isinstance(item.record.gpus[0].count, Unknown)
    assert item.problems == ()


def test_a_request_that_cannot_be_read_is_for_an_unknown_number_of_gpus():
    item = one(WAITING, tres_per_node="gres/gpu:h100:many")
    assert item.record
    (claim,) = item.record.gpus
    assert isinstance(claim.count, Unknown)
    assert item.problems[0] == (
        "tres_per_node",
        "gres/gpu:h100:many",
        "counts GPUs in a way that is not known: 'gres/gpu:h100:many'",
    )
