from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.errors import System
from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.admission.quota import check_quota
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import undetermined
from tests.builders import NOON, a_node, a_pod, a_pod_group, a_workspace, some_records
from tests.fleet.diagnosis.admission.events import an_event, refused, with_events
from tests.fleets import NEVER, a_fleet, a_keeper
from tests.gpu_labels import GPU, shared
from tests.quotas import RESOURCE_QUOTAS, a_quota, with_quotas

KEY, SLICE = f"requests.{GPU}", "nvidia.com/mig-1g.10gb"
PASS, WARN, FAIL, UNKNOWN = StepOutcome.PASS, StepOutcome.WARN, StepOutcome.FAIL, StepOutcome.UNKNOWN
ANEW = "; none of these pods would be made anew"
EXCEEDED = 'pods "train-1" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=4, used: '


def waiting(name="work-0", asks=None, **more):
    return replace(a_pod(name, None, asks or {GPU: 4}, phase="Pending", group="gang"), **more)


def judged(hard, used=None, *, pod=None, nodes=None, others=(), **more):
    pod = pod or waiting()
    keeper = a_keeper([a_node()] if nodes is None else nodes, [pod, *others])
    return check_quota(pod, with_quotas(keeper, [replace(a_quota(hard, used), **more)]).pin())


@pytest.mark.parametrize(
    ("hard", "used", "outcome", "finding"),
    [
        ("8", "4", PASS, f"ResourceQuota gpus, {KEY}: 4 of 8 used, with this pod's 4"),
        ("8", "8", PASS, f"ResourceQuota gpus, {KEY}: 8 of 8 used, with this pod's 4"),
        ("8", None, PASS, f"ResourceQuota gpus, {KEY} allows 8, and Kubernetes did not count it yet"),
        ("2", "4", WARN, f"ResourceQuota gpus, {KEY} allows 2: this pod with 4 would not be made anew"),
        (
            "6",
            "8",
            WARN,
            f"ResourceQuota gpus, {KEY}: 8 of 6 used, with this pod's 4{ANEW}",
        ),
        ("many", "4", UNKNOWN, f"{KEY}: 'many' is not a Kubernetes quantity"),
    ],
)
def test_a_pod_that_is_there_was_counted(hard, used, outcome, finding):
    step = judged({KEY: hard}, {KEY: used} if used else {})

    assert (step.check, step.outcome, step.code) == (DiagnosisCheck.QUOTA, outcome, None)
    assert step.finding == finding


def test_quotes_what_is_asked_allowed_and_used():
    assert [(one.path, one.value) for one in judged({KEY: "8"}, {KEY: "4"}).evidence] == [
        (f"pods/training/work-0 spec.containers resources.requests[{GPU}]", "4"),
        (f"resourcequotas/training/gpus spec.hard[{KEY}]", "8"),
        (f"resourcequotas/training/gpus status.used[{KEY}]", "4"),
    ]


@pytest.mark.parametrize("key", [GPU, f"limits.{GPU}"])
def test_a_key_without_its_prefix_does_nothing(key):
    step = judged({key: "1"})

    assert step.outcome is WARN
    assert step.finding == f"ResourceQuota gpus, {key} holds nobody back: Kubernetes counts {KEY} alone"
    assert [one.text for one in step.remedies] == [f"write {KEY} in place of {key}"]


def test_a_key_that_does_nothing_is_not_told_beside_one_that_binds():
    assert judged({GPU: "1", KEY: "8"}, {KEY: "4"}).outcome is PASS


def test_every_profile_has_a_key_of_its_own():
    one, other = f"requests.{SLICE}", "requests.nvidia.com/mig-3g.40gb"
    nodes = [a_node(capacity={SLICE: 7})]

    step = judged({one: "4", other: "1"}, {one: "2"}, pod=waiting(asks={SLICE: 2}), nodes=nodes)

    assert step.outcome is PASS
    assert "2 of 4 used" in step.finding
    assert "every other profile needs a key of its own" in step.finding


def test_says_of_shares_how_many_are_a_card():
    step = judged({KEY: "8"}, {KEY: "4"}, nodes=[a_node(labels=shared(4, 4), capacity={GPU: 16})])

    assert step.finding.endswith("; it counts shares, of which 4 are one card")


def test_scopes_are_not_judged():
    assert judged({KEY: "1"}, scoped=True).outcome is UNKNOWN


def test_does_not_apply_to_other_resources_and_other_namespaces():
    assert judged({f"requests.{SLICE}": "1"}) is None
    assert judged({KEY: "1"}, namespace="others") is None


def gang(events, *, need=4, phase="Inqueue"):
    """One pod is there of a gang."""
    pod = waiting(controller="Job/train")
    group = replace(a_pod_group("gang", phase=phase), min_member=need)
    records = some_records(workspaces=[a_workspace()])
    keeper = a_keeper([a_node()], [pod], records, pod_groups=[group])
    return check_quota(pod, with_events(keeper, events).pin())


def test_a_gang_waits_for_pods_that_the_quota_refuses():
    step = gang([refused("Job", "train", EXCEEDED)])

    assert (step.outcome, step.code) == (FAIL, PendingCode.QUOTA_EXCEEDED)
    assert step.finding == f"its gang lacks 3 pods, which Job/train cannot make: {EXCEEDED}"
    assert [(one.action, one.subject) for one in step.remedies] == [
        (RemedyAction.RAISE_QUOTA, a_workspace().id)
    ]


def test_a_pod_that_needs_no_others_does_not_wait_for_them():
    step = gang([refused("Job", "train", EXCEEDED)], need=1)

    assert step.outcome is WARN
    assert step.finding == f"more pods of Job/train are refused: {EXCEEDED}"


def test_a_refusal_of_long_ago_is_over():
    assert gang([refused("Job", "train", EXCEEDED, NOON - timedelta(hours=1))]) is None


def test_what_is_said_of_others_is_not_of_it():
    assert gang([refused("Job", "other", EXCEEDED), refused("Job", "train", "no such account")]) is None


def test_a_group_waits_for_the_quota_of_its_namespace():
    message = "resource quota insufficient, requested: <..>, used: <..>, limited: <..>"
    event = an_event("PodGroup", "gang", "Unschedulable", message)

    assert gang([event], phase="Pending").finding == f"its PodGroup is not let in: {message}"
    assert gang([event], phase="Running") is None


HAMI = f"limits.{GPU}"


@pytest.mark.parametrize(
    ("held", "outcome", "said"),
    [(4, PASS, "the namespace holds 4"), (5, FAIL, "the namespace holds 5, and this pod asks for 4")],
)
def test_hami_asks_again_before_it_places_a_pod(held, outcome, said):
    others = [a_pod("runs", asks={GPU: held}), a_pod("ended", asks={GPU: 8}, phase="Succeeded")]

    step = judged({HAMI: "8"}, nodes=[a_node(hami="GPU-1,10")], others=others)

    assert step.outcome is outcome
    assert step.finding == f"ResourceQuota gpus, {HAMI} lets HAMi give 8: {said}"


def test_what_is_not_known_is_not_judged():
    pod = waiting(asks={GPU: undetermined(System.KUBERNETES, "many is no count")})
    assert judged({KEY: "8"}, pod=pod).finding == "many is no count"
    silent = a_keeper(pods=[pod])
    silent.replace(RESOURCE_QUOTAS, {}, NEVER)
    assert check_quota(pod, silent.pin()).outcome is UNKNOWN
    assert check_quota(pod, a_fleet(pods=[pod])) is None
