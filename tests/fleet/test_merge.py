import pytest

from gateway.errors import System
from gateway.fleet.catalogue import known_types
from gateway.fleet.gpu import GpuType
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.merge import RECORDS
from gateway.fleet.platform import Target
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, some_records
from tests.fleets import FRESH, NEVER, NODES, PODS, SLURM_JOBS, SLURM_NODES, Hands, a_keeper
from tests.gpu_labels import GPU, mixed, whole

OTHER_NODES = SourceKey(System.KUBERNETES, "other", "nodes")
SECOND_NODES = SourceKey(System.SLURM, "second", "nodes")


def where(keeper, *names):
    """Which systems know these machines, by cluster."""
    rows = keeper.pin().listings.nodes.rows
    return {key: [system.value for system in rows[key].known_to] for key in sorted(rows) if key[1] in names}


def two_clusters(**told):
    keeper = FleetKeeper(["fleet", "other"], {"island": "fleet", "second": "fleet"}, Hands())
    for key in (NODES, OTHER_NODES, SLURM_NODES, SECOND_NODES, SLURM_JOBS):
        rows = told.get(f"{key.place}_{key.kind}", ())
        keeper.replace(key, {getattr(one, "name", None): one for one in rows}, FRESH)
    return keeper


def test_joins_what_systems_say_of_one_machine():
    keeper = a_keeper([a_node("a")], records=some_records([a_record("a")]), slurm_nodes=[a_slurm_node("a")])

    assert where(keeper, "a") == {("fleet", "a"): ["KUBERNETES", "PLATFORM", "SLURM"]}


def test_namesakes_of_two_clusters_are_two_machines():
    keeper = two_clusters(fleet_nodes=[a_node("a")], other_nodes=[a_node("a", cluster="other")])

    assert where(keeper, "a") == {("fleet", "a"): ["KUBERNETES"], ("other", "a"): ["KUBERNETES"]}


def test_a_slurm_node_belongs_to_its_records_cluster_else_to_its_slurms():
    keeper = two_clusters(island_nodes=[a_slurm_node("s-1"), a_slurm_node("s-2")])
    keeper.replace(RECORDS, {"records": some_records([a_record("s-1", cluster="other")])}, FRESH)

    assert where(keeper, "s-1", "s-2") == {
        ("fleet", "s-2"): ["SLURM"],
        ("other", "s-1"): ["PLATFORM", "SLURM"],
    }


def test_a_slurm_node_follows_its_record():
    keeper = two_clusters(island_nodes=[a_slurm_node("s-1")])
    keeper.replace(RECORDS, {"records": some_records([a_record("s-1", cluster="other")])}, FRESH)
    keeper.replace(RECORDS, {"records": some_records()}, FRESH)

    assert where(keeper, "s-1") == {("fleet", "s-1"): ["SLURM"]}


def test_a_slurm_node_stands_where_its_own_cluster_knows_it_whatever_other_records_say():
    keeper = two_clusters(island_nodes=[a_slurm_node("a")])
    keeper.replace(RECORDS, {"records": some_records([a_record("a", cluster="other")])}, FRESH)
    keeper.change(NODES, {"a": a_node("a")}, FRESH)

    assert where(keeper, "a") == {("fleet", "a"): ["KUBERNETES", "SLURM"], ("other", "a"): ["PLATFORM"]}


def test_the_slurm_that_knows_a_machine_speaks_of_it_while_another_is_silent():
    keeper = two_clusters(second_nodes=[a_slurm_node("s-1", slurm="second")])
    keeper.touch(SLURM_NODES, NEVER)

    assert keeper.pin().node("fleet", "s-1").slurm.slurm_cluster == "second"


def test_a_silent_slurm_may_know_every_machine_of_its_cluster_and_none_of_another():
    keeper = two_clusters(fleet_nodes=[a_node("a")], other_nodes=[a_node("b", cluster="other")])
    keeper.touch(SLURM_NODES, NEVER)
    fleet = keeper.pin()

    assert fleet.node("fleet", "a").slurm.system is System.SLURM
    assert fleet.node("other", "b").slurm is None


def test_a_silent_slurm_may_know_what_a_record_means_for_slurm_wherever_it_is():
    keeper = two_clusters()
    keeper.replace(
        RECORDS, {"records": some_records([a_record("s-1", Target.SLURM, cluster="other")])}, FRESH
    )
    keeper.touch(SLURM_NODES, NEVER)

    assert keeper.pin().node("other", "s-1").gpus.system is System.SLURM


def test_records_that_changed_renew_only_their_machines():
    keeper = a_keeper([a_node("a"), a_node("b")], records=some_records([a_record("a"), a_record("b")]))
    before = keeper.pin()
    records = some_records([a_record("a", Target.SLURM), a_record("b")])
    keeper.replace(RECORDS, {"records": records}, FRESH)
    after = keeper.pin()

    assert after.node("fleet", "a").record.target is Target.SLURM
    assert after.node("fleet", "b") is before.node("fleet", "b")


def test_a_machine_that_changes_its_tenant_changes_the_list():
    keeper = a_keeper([a_node("a")], records=some_records([a_record("a", tenant="vision")]))
    keeper.replace(RECORDS, {"records": some_records([a_record("a", tenant="speech")])}, FRESH)
    held = keeper.pin().listings.nodes

    assert dict(held.group("tenant", "vision")) == {}
    assert list(held.group("tenant", "speech")) == [("fleet", "a")]


def test_records_may_be_gone():
    keeper = a_keeper([a_node("a")], records=some_records([a_record("a"), a_record("gone")]))
    keeper.replace(RECORDS, {}, FRESH)

    assert where(keeper, "a", "gone") == {("fleet", "a"): ["KUBERNETES"]}


def test_the_platforms_own_word_for_a_model_renames_the_type_of_its_machines():
    keeper = a_keeper([a_node("a"), a_node("b", labels=whole(4, "T4-16GB"))])
    before = keeper.pin()
    own = GpuType(
        name="big", memory_mib=None, products=("NVIDIA-H100-80GB-HBM3",), slurm_types=(), mig_profiles=()
    )
    records = some_records(types=known_types([own]))
    keeper.replace(RECORDS, {"records": records}, FRESH)
    after = keeper.pin()

    assert before.node("fleet", "a").gpus.type.name == "H100-80GB"
    assert after.node("fleet", "a").gpus.type.name == "big"
    assert after.node("fleet", "b") is before.node("fleet", "b")


def test_jobs_hold_the_machines_that_slurm_gave_them():
    keeper = a_keeper(slurm_nodes=[a_slurm_node("s-1"), a_slurm_node("s-2")])
    job = a_job("7", {"s-1": 8, "s-2": 4})
    keeper.change(SLURM_JOBS, {"7": job}, FRESH)
    fleet = keeper.pin()

    assert [fleet.node("fleet", name).jobs for name in ("s-1", "s-2")] == [(job,), (job,)]
    keeper.change(SLURM_JOBS, {"7": None}, FRESH)
    assert keeper.pin().node("fleet", "s-2").jobs == ()


SLICE = "nvidia.com/mig-3g.40gb"
CUT = a_node("a", labels=mixed(8), capacity={GPU: 4, SLICE: 8}, allocatable={GPU: 4, SLICE: 7})
WORK = {
    "a slice is asked for": [a_pod("one", "a", {SLICE: 2}), a_pod("two", "a", {SLICE: 1})],
    "whole cards too": [a_pod("one", "a", {SLICE: 2, GPU: 4})],
    "the work has ended": [a_pod("one", "a", {SLICE: 2}, phase="Succeeded")],
    "it is gone": [],
}


@pytest.mark.parametrize("pods", WORK.values(), ids=WORK.keys())
def test_a_machine_whose_work_changed_is_as_if_it_were_told_from_nothing(pods):
    keeper = a_keeper([CUT], [a_pod("one", "a", {SLICE: 1})])
    keeper.replace(PODS, {(pod.namespace, pod.name): pod for pod in pods}, FRESH)

    assert keeper.pin().node("fleet", "a") == a_keeper([CUT], pods).pin().node("fleet", "a")


def test_a_machine_whose_pods_fall_silent_tells_its_devices_and_not_what_is_asked_of_them():
    keeper = a_keeper([CUT], [a_pod("one", "a", {SLICE: 1})])
    keeper.touch(PODS, NEVER)
    node = keeper.pin().node("fleet", "a")

    assert node.gpus.cards == 8
    assert [isinstance(one.requested, Unknown) for one in node.gpus.resources] == [True, True]
    assert [group.slices for group in node.mig_slices] == [8]
    assert [isinstance(group.free, Unknown) for group in node.mig_slices] == [True]
