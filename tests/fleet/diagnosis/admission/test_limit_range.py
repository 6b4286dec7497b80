from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.diagnosis.admission.limit_range import check_limit_range
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from gateway.fleet.unknown import undetermined
from tests.builders import a_pod
from tests.fleet.diagnosis.admission.events import refused, with_events
from tests.fleets import NEVER, a_fleet, a_keeper
from tests.gpu_labels import GPU
from tests.limit_ranges import LIMIT_RANGES, a_limit, a_limit_range, with_limit_ranges

SLICE = "nvidia.com/mig-1g.10gb"
ANEW = ": this pod with 4 was made before, and would not be made anew"
SHARED = ", and how its containers share 4 is not told"


def judged(*limits, pod=None, **more):
    pod = pod or a_pod(asks={GPU: 4}, node=None, phase="Pending")
    fleet = with_limit_ranges(a_keeper(pods=[pod]), [a_limit_range(*limits, **more)]).pin()
    return check_limit_range(pod, fleet)


def said(step):
    return (step.outcome, step.finding)


@pytest.mark.parametrize(
    ("limit", "outcome", "finding"),
    [
        (a_limit(GPU, "1", "8"), StepOutcome.PASS, f"LimitRange sizes allows the 4 {GPU} that it asks for"),
        (
            a_limit(GPU, most="2"),
            StepOutcome.WARN,
            f"LimitRange sizes lets a pod have at most 2 {GPU}{ANEW}",
        ),
        (
            a_limit(GPU, least="8", of_container=True),
            StepOutcome.WARN,
            f"LimitRange sizes wants a container to ask for at least 8 {GPU}{ANEW}",
        ),
        (
            a_limit(GPU, most="2", of_container=True),
            StepOutcome.UNKNOWN,
            f"LimitRange sizes lets a container have at most 2 {GPU}{SHARED}",
        ),
        (a_limit(GPU, most="4", of_container=True), StepOutcome.PASS, None),
        (a_limit(GPU, most="k4"), StepOutcome.UNKNOWN, f"{GPU}: 'k4' is not a Kubernetes quantity"),
    ],
)
def test_holds_what_is_asked_against_what_is_allowed(limit, outcome, finding):
    step = judged(limit)

    assert step.outcome is outcome
    assert finding is None or step.finding == finding


def test_the_worst_is_told_with_what_both_sides_say():
    step = judged(a_limit(GPU, most="8"), a_limit(GPU, most="2"))

    assert step.check is DiagnosisCheck.LIMIT_RANGE
    assert step.outcome is StepOutcome.WARN
    assert [(one.path, one.value) for one in step.evidence] == [
        (f"pods/training/work-0 spec.containers resources.requests[{GPU}]", "4"),
        (f"limitranges/training/sizes spec.limits[Pod].max[{GPU}]", "2"),
    ]
    assert [remedy.text for remedy in step.remedies] == [f"ask for {GPU} as LimitRange sizes allows"]


def test_says_that_nobody_asked_for_what_a_maximum_gave():
    pod = replace(a_pod(asks={GPU: 4}, node=None), gpus_given=(GPU,))

    step = judged(a_limit(GPU, most="4", given="4", of_container=True), pod=pod)

    assert said(step) == (
        StepOutcome.WARN,
        f"LimitRange sizes gave 4 {GPU} to a container of it that named none",
    )
    assert step.remedies[0].subject == pod.id


def test_tells_that_more_pods_of_its_owner_are_refused():
    pod = replace(a_pod(asks={GPU: 1}, node=None), controller="Job/train")
    message = f'pods "train-1" is forbidden: maximum {GPU} usage per Pod is 2, but limit is 4'
    fleet = with_events(a_keeper(pods=[pod]), [refused("Job", "train", message)]).pin()

    assert said(check_limit_range(pod, fleet)) == (
        StepOutcome.WARN,
        f"more pods of Job/train are refused: {message}",
    )


def test_does_not_apply_to_other_resources_and_other_namespaces():
    assert judged(a_limit(SLICE, most="1")) is None
    assert judged(a_limit(GPU, most="1"), namespace="others") is None
    pod = a_pod(asks={GPU: 4})
    assert check_limit_range(pod, a_fleet(pods=[pod])) is None


def test_what_is_not_known_is_not_judged():
    pod = a_pod(asks={GPU: undetermined(System.KUBERNETES, "many is no count")}, node=None)
    assert said(judged(a_limit(GPU, most="1"), pod=pod)) == (StepOutcome.UNKNOWN, "many is no count")
    silent = a_keeper(pods=[pod])
    silent.replace(LIMIT_RANGES, {}, NEVER)
    assert check_limit_range(pod, silent.pin()).outcome is StepOutcome.UNKNOWN
