from tests.fleet.diagnosis.pod.cases import FAIL, UNKNOWN, WARN, advice, checks, diagnosed, step
from tests.fleet.scheduling.scenes import node, pod, pod_terms

PORT = [{"containerPort": 80, "hostPort": 80}]
HOST = "kubernetes.io/hostname"
WEB = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": HOST}


def test_a_port_that_is_taken_everywhere():
    diagnosis = diagnosed(pod(ports=PORT), [node("a")], [pod("web", on="a", ports=PORT)])

    found = step(diagnosis, "OTHER")
    assert (found.outcome, found.finding) == (
        FAIL,
        "the only node: 1 node(s) didn't have free ports for the requested pod ports",
    )
    assert advice(diagnosis) == [
        ("CHANGE_REQUEST", "ask for other ports of the node, or for none (hostPort); then it fits on a")
    ]


def test_a_spread_that_no_place_satisfies():
    spread = {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}

    diagnosis = diagnosed(pod(topologySpreadConstraints=[spread]), [node("a")])

    assert diagnosis.code.value == "TOPOLOGY"
    assert diagnosis.remedies[0].text == (
        "let its topologySpreadConstraints over rack be ScheduleAnyway, or allow a larger skew; "
        "then it fits on a"
    )


def test_pods_that_it_must_not_be_with():
    running = [pod("web", on="a", labels={"app": "web"})]

    diagnosis = diagnosed(pod(**pod_terms("podAntiAffinity", WEB)), [node("a")], running)

    assert step(diagnosis, "OTHER").outcome is FAIL
    assert diagnosis.remedies[0].text == (
        "let its affinity to other pods be preferred, and not required; then it fits on a"
    )


def test_a_pod_that_keeps_others_away_cannot_be_talked_round():
    jealous = pod("web", on="a", **pod_terms("podAntiAffinity", {**WEB, "labelSelector": {}}))

    diagnosis = diagnosed(pod(), [node("a")], [jealous])

    assert diagnosis.code.value == "POD_AFFINITY"
    assert [one.action.value for one in diagnosis.remedies] == ["OTHER"]


def test_it_warns_where_another_node_is_left():
    nodes = [node("a"), node("b")]

    assert step(diagnosed(pod(ports=PORT), nodes, [pod("web", on="a", ports=PORT)]), "OTHER").outcome is WARN


def test_volumes_are_not_judged_and_that_is_said():
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]

    found = step(diagnosed(pod(volumes=volumes), [node("a")]), "OTHER")

    assert (found.outcome, found.finding) == (
        UNKNOWN,
        "not known: its volumes decide, and they are not judged",
    )


def test_a_change_that_leaves_volumes_to_decide_promises_nothing():
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]

    diagnosis = diagnosed(pod(volumes=volumes), [node("a", cordoned=True)])

    assert advice(diagnosis) == [
        (
            "UNCORDON",
            "uncordon a; whether it then fits on a is not known: its volumes decide, and they are not judged",
        )
    ]


def test_nothing_else_is_not_told():
    assert "OTHER" not in checks(diagnosed(pod(), [node("a")]))
