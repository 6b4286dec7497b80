"""Quotas that hold nobody back, end to end: what is written, what there is, and the alert."""

import pytest

from gateway.errors import System
from gateway.fleet.source import SourceKey
from tests.alerting import alerts_of, told, watched
from tests.builders import a_node, a_record, a_workspace, some_records
from tests.fleets import ABSENT, FRESH, NEVER, NODES, a_keeper
from tests.gpu_labels import GPU
from tests.quotas import RESOURCE_QUOTAS, a_quota, with_quotas

RECORDS = SourceKey(System.PLATFORM, "", "records")
REQUESTS, LIMITS = f"requests.{GPU}", f"limits.{GPU}"
SLICE = "nvidia.com/mig-1g.10gb"
SPLIT = "GPU-0,10,15360,100,NVIDIA-Tesla T4,0,true:"


def keeper(*quotas, nodes=None):
    """A cluster of one machine with eight cards, where the namespace training is a workspace's."""
    records = some_records([a_record()], [a_workspace()])
    return with_quotas(a_keeper(nodes or [a_node()], records=records), quotas)


def found(kind, *quotas, nodes=None):
    return alerts_of(watched(keeper(*quotas, nodes=nodes)), kind)


def keys_without_effect(*quotas, nodes=None):
    return {one["claim"]["path"] for one in found("QUOTA_WITHOUT_EFFECT", *quotas, nodes=nodes)}


def at(key, name="gpus"):
    return f"resourcequotas/training/{name} spec.hard[{key}]"


def test_a_key_without_its_prefix_limits_nothing():
    (alert,) = found("QUOTA_WITHOUT_EFFECT", a_quota({GPU: "8"}, {GPU: "0"}))

    assert (alert["severity"], alert["subjectName"]) == ("WARNING", "training/gpus")
    assert alert["subject"]["__typename"] == "Workspace"
    assert alert["tenant"] == {"name": "vision"}
    assert alert["message"] == (
        f"ResourceQuota gpus of namespace training limits nothing by {GPU}: 8; {REQUESTS} would"
    )
    assert told([alert["claim"], *alert["evidence"]]) == [("KUBERNETES", "8"), ("KUBERNETES", "0")]
    assert [(one["action"], one["text"]) for one in alert["remedies"]] == [
        ("OTHER", f"write {REQUESTS} in place of {GPU}")
    ]


def test_each_key_that_binds_nothing_is_told_and_none_that_binds():
    hard = {GPU: "1", SLICE: "2", LIMITS: "4", "requests.amd.com/gpu": "4", f"requests.{SLICE}": "9"}

    assert keys_without_effect(a_quota(hard)) == {at(GPU), at(SLICE), at(LIMITS)}


@pytest.mark.parametrize(("beside", "told_of"), [("4", set()), ("8", set()), ("9", {at(GPU)})])
def test_a_key_beside_one_that_binds_is_told_where_it_was_meant_to_allow_less(beside, told_of):
    assert keys_without_effect(a_quota({GPU: "8", REQUESTS: beside})) == told_of


def test_where_hami_splits_cards_its_scheduler_reads_limits():
    hard = {LIMITS: "2", "limits.nvidia.com/gpumem": "2000", "limits.amd.com/gpu": "1", GPU: "2"}
    nodes = [a_node(hami=SPLIT)]

    assert keys_without_effect(a_quota(hard), nodes=nodes) == {at("limits.amd.com/gpu"), at(GPU)}
    remedies = {
        one["remedies"][0]["text"] for one in found("QUOTA_WITHOUT_EFFECT", a_quota(hard), nodes=nodes)
    }
    assert f"write {REQUESTS} in place of {GPU}, or {LIMITS} for HAMi's scheduler" in remedies


def test_a_quota_of_no_workspace_is_told_of_its_cluster():
    (alert,) = found("QUOTA_WITHOUT_EFFECT", a_quota({GPU: "8"}, namespace="stray"))

    assert (alert["subject"]["__typename"], alert["tenant"]) == ("Cluster", None)
    assert alert["subjectName"] == "stray/gpus"


def test_a_ceiling_above_all_that_there_is_is_none():
    (alert,) = found("GPU_QUOTA_HIGH", a_quota({REQUESTS: "10k"}))

    assert alert["severity"] == "INFO"
    assert alert["message"] == (
        f"namespace training may ask for 10k {GPU} by ResourceQuota gpus, and fleet has no more than 8: "
        "that limits nothing"
    )
    assert told([alert["claim"], *alert["evidence"]]) == [("KUBERNETES", "10k"), ("KUBERNETES", "8")]


@pytest.mark.parametrize(
    "quotas",
    [
        [a_quota({REQUESTS: "8"})],
        [a_quota({REQUESTS: "64"}), a_quota({REQUESTS: "4"}, name="lower")],
        [a_quota({REQUESTS: "64"}), a_quota({REQUESTS: "eight"}, name="unread")],
        [a_quota({GPU: "64"})],
        [a_quota({f"requests.{SLICE}": "64"})],
        [a_quota({"requests.nvidia.com/gpumem": "64000"})],
    ],
    ids=["all", "a-lower-one", "one-that-cannot-be-read", "no-prefix", "nowhere-offered", "memory"],
)
def test_a_ceiling_that_may_hold_somebody_back_is_not_high(quotas):
    assert found("GPU_QUOTA_HIGH", *quotas) == []


def test_a_cluster_without_quotas_has_no_such_alerts():
    bare = keeper()
    bare.replace(RESOURCE_QUOTAS, {}, ABSENT)

    assert alerts_of(watched(bare), "QUOTA_WITHOUT_EFFECT") == []
    assert alerts_of(watched(bare), "SOURCE_DOWN") == []


@pytest.mark.parametrize("silent", [RESOURCE_QUOTAS, NODES, RECORDS], ids=lambda key: key.kind)
def test_what_a_silent_source_would_have_to_tell_is_left_unsaid(silent):
    quiet = keeper(a_quota({GPU: "8", "requests.nvidia.com/gpu": "64"}))
    quiet.touch(silent, NEVER)
    gateway = watched(quiet)

    assert alerts_of(gateway, "QUOTA_WITHOUT_EFFECT") == alerts_of(gateway, "GPU_QUOTA_HIGH") == []
    quiet.touch(silent, FRESH)
    assert len(alerts_of(watched(quiet), "GPU_QUOTA_HIGH")) == 1
