from dataclasses import replace
from datetime import timedelta

from gateway.errors import System
from gateway.fleet.merge import RECORDS
from gateway.fleet.source import SkippedItem
from tests.builders import (
    NOON,
    a_job,
    a_node,
    a_pod,
    a_queue,
    a_record,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleets import (
    ABSENT,
    FRESH,
    NEVER,
    NODES,
    POD_GROUPS,
    PODS,
    QUEUES,
    SLURM_JOBS,
    SLURM_NODES,
    VERSION,
    a_keeper,
)

LATER = timedelta(minutes=11)
POD = ("training", "work-0")


def names(found):
    return sorted(name for _, name in found)


def test_tells_what_a_source_told_it():
    fleet = a_keeper([a_node("a"), a_node("b")], [a_pod(node="a")]).pin()

    assert names(fleet.nodes("fleet")) == ["a", "b"]
    assert fleet.node("fleet", "a").pods == (a_pod(node="a"),)
    assert fleet.cluster("fleet").kubernetes_version == "v1.36.3"


def test_what_a_new_listing_lacks_is_gone():
    keeper = a_keeper([a_node("a"), a_node("b")])
    keeper.replace(NODES, {"b": a_node("b")}, FRESH)

    assert names(keeper.pin().nodes("fleet")) == ["b"]


def test_a_change_sets_some_rows_and_takes_others_out():
    keeper = a_keeper([a_node("a"), a_node("b")])
    keeper.change(NODES, {"a": None, "c": a_node("c")}, FRESH)

    assert names(keeper.pin().nodes("fleet")) == ["b", "c"]


def test_equal_rows_keep_the_identity_of_what_was_made_of_them():
    keeper = a_keeper([a_node("a"), a_node("b")], [a_pod(node="a")])
    before = keeper.pin()

    keeper.replace(NODES, {"a": a_node("a"), "b": a_node("b")}, FRESH)
    keeper.replace(PODS, {POD: a_pod(node="a")}, FRESH)
    after = keeper.pin()

    assert after.listings.nodes is before.listings.nodes
    assert after.listings.pods is before.listings.pods


def test_a_change_renews_the_machine_that_it_reaches_and_no_other():
    keeper = a_keeper([a_node("a"), a_node("b"), a_node("c")])
    before = keeper.pin()

    keeper.change(PODS, {POD: a_pod(node="a")}, FRESH)
    after = keeper.pin()

    assert after.node("fleet", "a").gpus.resources[0].free == 7
    assert after.node("fleet", "b") is before.node("fleet", "b")
    assert after.node("fleet", "c") is before.node("fleet", "c")


def test_a_pod_that_moves_frees_the_machine_that_it_left():
    keeper = a_keeper([a_node("a"), a_node("b")], [a_pod(node="a")])
    keeper.change(PODS, {POD: a_pod(node="b")}, FRESH)
    fleet = keeper.pin()

    assert [fleet.node("fleet", name).busy for name in "ab"] == [False, True]


def test_a_pod_that_is_gone_frees_its_machine():
    keeper = a_keeper([a_node("a")], [a_pod(node="a")])
    keeper.change(PODS, {POD: None}, FRESH)

    assert keeper.pin().node("fleet", "a").busy is False


def test_a_pod_may_be_told_of_before_its_node():
    keeper = a_keeper(pods=[a_pod(node="a")])
    keeper.change(NODES, {"a": a_node("a")}, FRESH)

    assert keeper.pin().node("fleet", "a").gpus.resources[0].requested == 1


def test_a_pinned_fleet_never_changes():
    keeper = a_keeper([a_node("a")], [a_pod(node="a")])
    fleet = keeper.pin()
    node, pods = fleet.node("fleet", "a"), fleet.pods("fleet")

    keeper.replace(NODES, {}, FRESH)
    keeper.replace(PODS, {}, FRESH)
    keeper.touch(NODES, NEVER)
    keeper.replace(RECORDS, {"records": some_records([a_record("x")])}, FRESH)

    assert fleet.node("fleet", "a") is node
    assert fleet.pods("fleet") is pods
    assert names(fleet.nodes("fleet")) == ["a"]
    assert fleet.silences == {}
    assert fleet.platform.nodes == {}


def test_a_job_that_ends_frees_its_machines():
    keeper = a_keeper(slurm_nodes=[a_slurm_node("s-1")], jobs=[a_job("1", {"s-1": 8})])
    assert keeper.pin().node("fleet", "s-1").busy is True

    keeper.change(SLURM_JOBS, {"1": a_job("1", {"s-1": 8}, "COMPLETED")}, FRESH)

    assert keeper.pin().node("fleet", "s-1").busy is False


def test_a_version_may_be_gone():
    keeper = a_keeper()
    keeper.replace(VERSION, {}, FRESH)

    assert keeper.pin().cluster("fleet").kubernetes_version is None


def test_an_absent_listing_is_no_silence():
    keeper = a_keeper()
    keeper.replace(QUEUES, {}, ABSENT)
    fleet = keeper.pin()

    assert fleet.queues("fleet") is None
    assert not fleet.has(System.QUEUES, "fleet", "queues")
    assert fleet.silences == {}


def test_tells_how_each_source_stands():
    skipped = SkippedItem(subject="nodes/a", path="status", raw="?", problem="unread", since=NOON)
    records = some_records([a_record("a"), a_record("b")], [a_workspace()])
    keeper = a_keeper([a_node("a")], records=records, queues=[a_queue()])
    keeper.touch(NODES, replace(FRESH, skipped=(skipped,)))
    keeper.touch(POD_GROUPS, ABSENT)
    keeper.touch(SLURM_NODES, NEVER.failed(NOON, "connection refused"))
    sources = {one.name: one for one in keeper.pin().sources}

    assert {name: (one.state.value, one.objects) for name, one in sources.items()} == {
        "kubernetes/fleet/nodes": ("FRESH", 1),
        "kubernetes/fleet/pods": ("FRESH", 0),
        "kubernetes/fleet/version": ("FRESH", 1),
        "platform/records": ("FRESH", 4),  # two nodes, one tenant, one workspace
        "queues/fleet/podgroups": ("ABSENT", None),
        "queues/fleet/queues": ("FRESH", 1),
        "slurm/island/jobs": ("FRESH", 0),
        "slurm/island/nodes": ("NEVER", None),
    }
    assert sources["kubernetes/fleet/nodes"].skipped == (skipped,)
    down = sources["slurm/island/nodes"]
    assert (down.consecutive_failures, down.error, down.last_attempt_at) == (1, "connection refused", NOON)


def test_a_status_that_did_not_change_keeps_its_identity():
    keeper = a_keeper()

    assert all(one is two for one, two in zip(keeper.pin().sources, keeper.pin().sources, strict=True))


def test_finds_the_workspace_of_a_pod_by_its_namespace():
    keeper = a_keeper(records=some_records(workspaces=[a_workspace(namespaces=["training", "eval"])]))
    fleet = keeper.pin()

    assert fleet.workspace_of(a_pod(namespace="eval")).name == "training"
    assert fleet.workspace_of(a_pod(namespace="other")) is None
    assert keeper.pin().workspace_of_namespace is fleet.workspace_of_namespace
    keeper.touch(RECORDS, NEVER)
    assert keeper.pin().workspace_of(a_pod(namespace="eval")).system is System.PLATFORM
