from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.merge import RECORDS
from gateway.fleet.unknown import UnknownCode
from tests.builders import (
    a_job,
    a_node,
    a_pod,
    a_pod_group,
    a_price,
    a_queue,
    a_record,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleets import ABSENT, NEVER, POD_GROUPS, PODS, QUEUES, SLURM_JOBS, VERSION, a_fleet, a_keeper
from tests.gpu_labels import H100


def without(key, contact, **told) -> Fleet:
    keeper = a_keeper(**told)
    keeper.touch(key, contact)
    return keeper.pin()


def test_finds_one_queue_by_cluster_and_name():
    fleet = a_fleet(queues=[a_queue("a"), a_queue("b")])

    assert fleet.queue("fleet", "b").name == "b"
    assert fleet.queue("fleet", "c") is None
    assert fleet.queue("elsewhere", "b") is None


def test_silent_queues_are_no_missing_queues():
    assert without(QUEUES, NEVER).queue("fleet", "b").code is UnknownCode.SOURCE_UNAVAILABLE
    assert without(QUEUES, ABSENT).queue("fleet", "b") is None


def test_finds_the_group_that_a_pod_names():
    told = {"pod_groups": [a_pod_group("gang")]}

    assert a_fleet(**told).pod_group(a_pod(group="gang")).name == "gang"
    assert a_fleet(**told).pod_group(a_pod(group="gone")) is None
    assert a_fleet(**told).pod_group(a_pod()) is None
    assert without(POD_GROUPS, ABSENT, **told).pod_group(a_pod(group="gang")) is None
    assert without(POD_GROUPS, NEVER, **told).pod_group(a_pod(group="gang")).system is System.QUEUES


def test_lists_the_pods_of_namespaces():
    pods = [a_pod("a"), a_pod("b", namespace="eval"), a_pod("c", namespace="other")]

    assert [one.name for one in a_fleet(pods=pods).pods_of_namespaces("fleet", ["eval", "training"])] == [
        "b",
        "a",
    ]
    assert without(PODS, NEVER, pods=pods).pods_of_namespaces("fleet", ["eval"]).system is System.KUBERNETES


def test_tells_the_prices_of_a_type():
    fleet = a_fleet(records=some_records(prices={H100: [a_price()]}))

    assert fleet.prices(H100) == (a_price(),)
    assert fleet.prices("T4-16GB") == ()
    assert without(RECORDS, NEVER).prices(H100).system is System.PLATFORM


def test_lists_the_jobs_of_a_clusters_slurms():
    fleet = a_fleet(jobs=[a_job("1"), a_job("2")])

    assert sorted(job.job_id for job in fleet.slurm_jobs("fleet")) == ["1", "2"]
    assert fleet.slurm_jobs("elsewhere") is None
    assert without(SLURM_JOBS, NEVER).slurm_jobs("fleet").system is System.SLURM


def test_finds_the_machine_that_slurm_means():
    fleet = a_fleet([a_node("a"), a_node("b")], slurm_nodes=[a_slurm_node("a")])

    assert fleet.machine_of_slurm("island", "a").name == "a"
    assert fleet.machine_of_slurm("island", "b") is None  # another machine, which Slurm does not know
    assert fleet.machine_of_slurm("another", "a") is None


def test_knows_its_clusters_and_their_release():
    assert a_fleet().cluster("elsewhere") is None
    assert without(VERSION, NEVER).cluster("fleet").kubernetes_version.system is System.KUBERNETES


def test_lists_a_tenants_machines():
    records = some_records([a_record("a"), a_record("b", tenant=None)], [a_workspace()])
    fleet = a_fleet([a_node("a"), a_node("b"), a_node("c")], records=records)

    assert list(fleet.listings.nodes.group("tenant", "vision")) == [("fleet", "a")]
    assert dict(fleet.listings.nodes.group("tenant", "nobody")) == {}
