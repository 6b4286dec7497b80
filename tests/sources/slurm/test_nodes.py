import msgspec
import pytest

from gateway.fleet.slurm import SlurmGres, SlurmNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from gateway.sources.slurm.answers import read_list
from gateway.sources.slurm.api import Answer
from gateway.sources.slurm.nodes import read_node
from gateway.sources.sync import Item
from tests.sources.slurm.recordings import VERSIONS, odd, recording

FIRST_WITH_PLANNED = 40


def read(body: bytes, version: int = 45) -> dict[object, Item[SlurmNode]]:
    found = read_list(Answer("slurm", 200, body), "nodes")
    return {item.key: item for item in (read_node(text, version, "lab", at) for at, text in enumerate(found))}


def one(**fields: object) -> Item[SlurmNode]:
    """What is read of a node as v0.0.45 writes it, with these fields."""
    node = {
        "name": "gpu-01",
        "state": ["IDLE"],
        "reason": "",
        "reason_set_by_user": "",
        "partitions": ["all"],
        "gres": "gpu:h100:8(S:0-1)",
        "gres_used": "gpu:h100:3(IDX:0-2)",
    }
    return read_node(msgspec.Raw(msgspec.json.encode(node | fields)), 45, "lab", 0)


def gpus(kind: str | None, configured: int, used: int, unit: GpuUnit = GpuUnit.CARD) -> SlurmGres:
    return SlurmGres(name="gpu", type=kind, unit=unit, configured=configured, used=used)


def node(name: str, *states: str, partitions: str, reason: str = "", gres: SlurmGres | None) -> SlurmNode:
    return SlurmNode(
        slurm_cluster="lab",
        name=name,
        states=tuple(sorted(states)),
        reason=reason or None,
        reason_by="root" if reason else None,
        partitions=(*partitions.split(),),
        gres=(gres,) if gres else (),
    )


def recorded_nodes(version: int) -> list[SlurmNode]:
    planned = ("PLANNED",) if version >= FIRST_WITH_PLANNED else ()
    ecc = "ECC errors on GPU 5 (ticket HW-1234)"
    return [
        node("cpu-01", "UNKNOWN", "NOT_RESPONDING", partitions="all", gres=None),
        node("gpu-h100-01", "ALLOCATED", partitions="train all", gres=gpus("h100", 8, 8)),
        node("gpu-h100-02", "MIXED", *planned, partitions="train all", gres=gpus("h100", 8, 7)),
        node("gpu-h100-03", "IDLE", "DRAIN", partitions="train all", reason=ecc, gres=gpus("h100", 8, 0)),
        node("gpu-h100-04", "DOWN", partitions="train all", reason="psu failure", gres=gpus("h100", 8, 0)),
        node("gpu-t4-01", "MIXED", partitions="infer all", gres=gpus("t4", 4, 2)),
        node(
            "gpu-t4-02",
            "MIXED",
            "DRAIN",
            partitions="infer all",
            reason="kernel upgrade",
            gres=gpus("t4", 4, 2),
        ),
        node("gpu-t4-03", "IDLE", "RESERVED", partitions="infer all", gres=gpus("t4", 4, 0)),
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_tells_of_the_same_nodes(version: int):
    items = read(recording(version, "nodes"), version)
    assert [item.record for item in items.values()] == recorded_nodes(version)
    assert [(item.subject, item.problems) for item in items.values()][1] == ("nodes/gpu-h100-01", ())
    assert not any(item.problems for item in items.values())


def test_a_node_that_lost_a_gpu_says_so_in_its_states_and_keeps_what_was_configured():
    (item,) = read(odd("node-gpu-lost"), 42).values()
    assert item.record
    assert item.record.states == ("DRAIN", "IDLE", "INVALID_REG")
    assert item.record.reason == "gres/gpu count reported lower than configured (3 < 4)"
    assert item.record.gres == (gpus("t4", 4, 0),)


def test_a_gap_between_used_gpus_is_no_further_resource():
    (item,) = read(odd("node-idx-gap"), 42).values()
    assert item.record
    assert item.record.gres == (gpus("h100", 8, 2),)


def test_a_node_whose_job_completes_has_given_its_gpus_back():
    (item,) = read(odd("node-completing"), 42).values()
    assert item.record
    assert item.record.states == ("COMPLETING", "IDLE", "RESERVED")
    assert item.record.gres == (gpus("t4", 4, 0),)


@pytest.mark.parametrize(
    ("gres", "used", "expected"),
    [
        ("", "", []),
        ("(null)", "gpu:0", []),
        ("gpu:4(S:0-1)", "gpu:(null):4(IDX:0-3)", [gpus(None, 4, 4)]),
        ("gpu:a100:4", "gpu:(null):1(IDX:2)", [gpus("a100", 4, 1)]),
        ("gpu:8", "gpu:a100:1(IDX:0),gpu:h100:2(IDX:4,6)", [gpus(None, 8, 3)]),
        ("gpu:a100:2(S:0),gpu:a100:2(S:1)", "gpu:a100:4(IDX:0-3)", [gpus("a100", 4, 4)]),
        (
            "gpu:nvidia_h100_80gb_hbm3:2,gpu:nvidia_h100_80gb_hbm3_4g.40gb:2",
            "gpu:nvidia_h100_80gb_hbm3:0(IDX:N/A),gpu:nvidia_h100_80gb_hbm3_4g.40gb:1(IDX:2)",
            [
                gpus("nvidia_h100_80gb_hbm3", 2, 0),
                gpus("nvidia_h100_80gb_hbm3_4g.40gb", 2, 1, GpuUnit.SLICE),
            ],
        ),
        (
            "gpu:h100:2(S:0),shard:h100:8(S:0),craynetwork:4",
            "gpu:h100:2(IDX:0,1),shard:h100:5(2/4,3/4),craynetwork:0",
            [
                gpus("h100", 2, 2),
                SlurmGres(name="shard", type="h100", unit=GpuUnit.SHARE, configured=8, used=5),
            ],
        ),
    ],
)
def test_gres_is_read_in_every_form_that_slurm_writes(gres: str, used: str, expected: list[SlurmGres]):
    item = one(gres=gres, gres_used=used)
    assert item.record
    assert list(item.record.gres) == expected
    assert item.problems == ()


@pytest.mark.parametrize("gres", ["gpu:h100:lots", "gpu:h100:8(S:0", "gpu:h100:1025", None, 8])
def test_gpus_that_cannot_be_counted_are_unknown_and_not_none(gres: object):
    item = one(gres=gres)
    assert item.record
    (only,) = item.record.gres
    assert isinstance(only.configured, Unknown)
    assert isinstance(only.used, Unknown)
    (problem,) = item.problems
    assert problem.path == "gres"
    assert problem.raw == ("null" if gres is None else str(gres))


def test_use_that_is_not_told_is_unknown_and_not_zero():
    item = one(gres_used="")
    assert item.record
    (only,) = item.record.gres
    assert only.configured == 8
    assert isinstance(only.used, Unknown)
    assert item.problems[0][:2] == ("gres_used", "")


def test_a_node_without_a_readable_state_is_not_taken_for_a_good_one():
    item = one(state=[])
    assert item.record
    assert item.record.states == ("UNKNOWN",)
    assert item.problems[0].path == "state"


def test_a_field_that_is_missing_is_a_problem_of_that_field_alone():
    found = msgspec.Raw(b'{"name": "gpu-01", "state": ["IDLE"], "gres": "gpu:2", "gres_used": "gpu:1"}')
    item = read_node(found, 45, "lab", 0)
    assert item.record
    assert item.record.gres == (gpus(None, 2, 1),)
    assert {problem.path for problem in item.problems} == {"reason", "reason_set_by_user", "partitions"}


@pytest.mark.parametrize("text", [b"[]", b"null", b'{"state": ["IDLE"]}', b'{"name": 7}'])
def test_what_is_no_node_is_named_by_its_place_and_left_out(text: bytes):
    item = read_node(msgspec.Raw(text), 45, "lab", 3)
    assert item.record is None
    assert item.subject == "nodes[3]"
    assert item.problems[0].raw == text.decode()


@pytest.mark.parametrize(
    ("comment", "host"),
    [
        ('{"namespace":"slurm","podName":"worker-0","node":"k8s-01"}', "k8s-01"),
        ('{"namespace":"slurm","podName":"gpu-01","node":"gpu-01"}', None),
        ('{"namespace":"slurm","podName":"worker-0","node":""}', None),
        ("bought in March", None),
        ("[" * 100_000, None),
        ("", None),
        (None, None),
    ],
)
def test_a_node_that_runs_in_a_pod_names_the_machine_in_its_comment(comment, host):
    item = one(comment=comment)

    assert item.record.host == host
    assert item.problems == ()
