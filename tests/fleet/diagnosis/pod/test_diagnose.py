import msgspec

from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER, a_job, a_record, a_slurm_node, some_records
from tests.fleet.diagnosis.pod.cases import FAIL, GPU, PASS, UNKNOWN, advice, checks, diagnosed, step
from tests.fleet.scheduling.scenes import node, pod
from tests.fleets import NEVER, NODES, PODS, a_keeper

ORDER = [
    DiagnosisCheck.REQUEST_SHAPE,
    DiagnosisCheck.LIMIT_RANGE,
    DiagnosisCheck.QUOTA,
    DiagnosisCheck.QUEUE,
    DiagnosisCheck.GANG,
    DiagnosisCheck.PRIORITY,
    DiagnosisCheck.SCHEDULING_GATES,
    DiagnosisCheck.TAINTS,
    DiagnosisCheck.NODE_AFFINITY,
    DiagnosisCheck.GPU_MEMORY,
    DiagnosisCheck.DEVICE_PLUGIN,
    DiagnosisCheck.CAPACITY,
    DiagnosisCheck.MIG_LAYOUT,
    DiagnosisCheck.FRAGMENTATION,
    DiagnosisCheck.OTHER,
]


def test_nobody_is_sent_to_a_machine_that_only_looks_free_since_a_job_of_slurm_holds_it():
    cordoned = [node(name, cordoned=True) for name in ("a", "b")]
    jobs = {"slurm_nodes": [a_slurm_node("a")], "jobs": [a_job("7", {"a": 8})]}

    diagnosis = diagnosed(pod(asks={GPU: "1"}), cordoned, **jobs)

    assert [one.text for one in diagnosis.remedies] == ["uncordon b; then it fits on b"]


def test_the_checks_are_made_in_the_order_of_an_engineer():
    ask = pod(asks={"nvidia.com/mig-1g.10gb": "1"}, nodeSelector={"nvidia.com/gpu.product": "X"})

    made = [one.check for one in diagnosed(ask, [node()]).steps]

    assert made == [one for one in ORDER if one in made]
    assert len(made) >= 9


def test_a_pod_that_fits_waits_for_its_scheduler_alone():
    diagnosis = diagnosed(pod(asks={GPU: "8"}), [node("a"), node("b")])

    assert (diagnosis.code, diagnosis.verdict) == (None, "it fits on 2 nodes: a and others")
    assert advice(diagnosis) == [
        ("WAIT", "wait for the next attempt of default-scheduler; if none comes, see whether it runs")
    ]


def test_a_pod_that_runs_does_not_wait_and_its_checks_do_not_count_itself():
    diagnosis = diagnosed(pod(on="a", asks={GPU: "8"}), [node("a")])

    assert (diagnosis.code, diagnosis.verdict) == (
        None,
        "it does not wait for a node: it is on a (Running)",
    )
    assert step(diagnosis, "CAPACITY").outcome is PASS
    assert diagnosis.remedies == ()


def test_what_came_after_it_is_told_of_a_pod_that_runs_too():
    diagnosis = diagnosed(pod(on="a", asks={GPU: "8"}), [node("a", cordoned=True)])

    assert step(diagnosis, "TAINTS").outcome is FAIL
    assert (diagnosis.code, diagnosis.remedies) == (None, ())


def test_a_pod_that_has_ended_waits_for_nothing():
    diagnosis = diagnosed(pod(on="a", phase="Succeeded"), [node("a")])

    assert diagnosis.verdict == "it has ended (Succeeded) and waits for nothing"


def test_a_pod_that_the_kubelet_did_not_take_says_so():
    refused = {"reason": "UnexpectedAdmissionError", "message": "Allocate failed due to no healthy devices"}
    written = {"metadata": {"name": "ask", "namespace": "vision", "uid": "uid-ask"}}
    spec = {"nodeName": "a", "containers": [{"name": "main"}]}
    raw = {**written, "spec": spec, "status": {"phase": "Failed", **refused}}
    ask = read_pod(CLUSTER, msgspec.Raw(msgspec.json.encode(raw)), [])

    diagnosis = diagnosed(ask, [node("a")])

    assert diagnosis.code.value == "KUBELET_ADMISSION"
    assert diagnosis.verdict == (
        "the kubelet of a did not take it, and it never will run: "
        "UnexpectedAdmissionError: Allocate failed due to no healthy devices"
    )


def test_a_pod_that_was_bound_by_name_to_no_node_at_all():
    diagnosis = diagnosed(pod(on="gone", phase="Pending"), [node("a")])

    assert diagnosis.verdict == "it is bound to gone, and there is no such node: it never will run"


def test_a_node_that_only_the_records_know_is_no_node_to_run_on():
    records = some_records([a_record("gone")])

    diagnosis = diagnosed(pod(on="gone", phase="Pending"), [node("a")], records=records)

    assert diagnosis.verdict == "it is bound to gone, and there is no such node: it never will run"


def test_a_gate_is_before_all_nodes_and_is_not_enough_where_no_node_takes_it():
    diagnosis = diagnosed(pod(schedulingGates=[{"name": "kueue"}]), [node("a", cordoned=True)])

    assert diagnosis.code.value == "SCHEDULING_GATED"
    assert [action for action, _ in advice(diagnosis)] == ["OTHER", "UNCORDON"]
    assert diagnosis.remedies[0].text.endswith("not enough by itself, for no node takes it now")


def test_what_fails_together_is_said_of_each():
    ask = pod(asks={GPU: "1"}, schedulerName="volcano", schedulingGates=[{"name": "quota"}])

    diagnosis = diagnosed(ask, [node("a")])

    assert [one.text.partition("; ")[2] for one in diagnosis.remedies] == [
        "not enough by itself, for SCHEDULING_GATES fails too",
        "not enough by itself, for GANG fails too",
    ]


def test_a_wrong_name_is_not_blamed_for_what_the_right_one_would_do():
    diagnosis = diagnosed(pod(asks={"nvidia/gpu": "1"}), [node("a")])

    assert advice(diagnosis) == [
        ("CHANGE_REQUEST", f"ask for {GPU} instead of nvidia/gpu; then it fits on a")
    ]


def test_a_gate_alone_is_all_there_is_to_change():
    diagnosis = diagnosed(pod(schedulingGates=[{"name": "kueue"}]), [node("a")])

    assert [action for action, _ in advice(diagnosis)] == ["OTHER"]
    assert "not enough" not in diagnosis.remedies[0].text


def test_whose_scheduler_it_is_is_said():
    diagnosis = diagnosed(pod(schedulerName="kai-scheduler"), [node("a", cordoned=True)])

    assert diagnosis.verdict.endswith(
        "kai-scheduler places it, by rules of its own too: of nodes this is what kube-scheduler's filters say"
    )


def silent(ask, key, nodes=()):
    keeper = a_keeper(nodes, [ask])
    keeper.touch(key, NEVER)
    return diagnose(ask, keeper.pin())


def test_while_nodes_are_silent_every_check_of_them_is_open():
    ask = pod(asks={GPU: "1", "nvidia.com/mig-1g.10gb": "1"}, nodeSelector={"nvidia.com/gpu.product": "X"})

    diagnosis = silent(ask, NODES, [node("a", cordoned=True)])

    of_nodes = ORDER[ORDER.index(DiagnosisCheck.TAINTS) : -1]
    assert {name: outcome for name, outcome in checks(diagnosis).items() if outcome is not UNKNOWN} == {
        "REQUEST_SHAPE": PASS,
        "SCHEDULING_GATES": PASS,
    }
    assert {one.value for one in of_nodes} <= checks(diagnosis).keys()
    assert (diagnosis.code, diagnosis.remedies) == (None, ())
    assert isinstance(diagnosis.silent, Unknown)


def test_nodes_that_fell_silent_are_listed_all_the_same():
    ask = pod()
    keeper = a_keeper([node("a")], [ask], some_records([a_record("a")]))
    keeper.touch(NODES, NEVER)

    diagnosis = diagnose(ask, keeper.pin())

    assert [(one.node.name, isinstance(one.verdict.fits, Unknown)) for one in diagnosis.nodes] == [
        ("a", True)
    ]


def test_while_pods_are_silent_only_what_needs_none_is_judged():
    diagnosis = silent(pod(asks={GPU: "1"}), PODS, [node("a")])

    assert checks(diagnosis)["TAINTS"] is PASS
    assert checks(diagnosis)["CAPACITY"] is UNKNOWN
    assert checks(diagnosis)["FRAGMENTATION"] is UNKNOWN
    assert checks(diagnosis)["OTHER"] is UNKNOWN
    assert diagnosis.code is None


def test_what_cannot_be_read_of_the_pod_leaves_every_check_of_nodes_open():
    diagnosis = diagnosed(pod(affinity={"nodeAffinity": 5}), [node("a")])

    assert checks(diagnosis)["TAINTS"] is UNKNOWN
    assert checks(diagnosis)["NODE_AFFINITY"] is UNKNOWN
