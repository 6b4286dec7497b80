from datetime import timedelta

import pytest

from gateway.fleet.platform import Target
from tests.asking import Gateway
from tests.builders import NOON, a_job, a_node, a_pod, a_record, a_slurm_node, a_workspace, some_records
from tests.fleets import FRESH, NEVER, NODES, PODS, SLURM_JOBS, SLURM_NODES, a_keeper
from tests.gpu_labels import GPU, H100

HOUR_AGO = FRESH.succeeded(NOON - timedelta(hours=1))
LATE = FRESH.succeeded(NOON - timedelta(minutes=5))


@pytest.fixture
def keeper():
    return a_keeper(
        nodes=[a_node("gpu-02"), a_node("gpu-01", ready=False), a_node("gpu-03")],
        pods=[a_pod("work", "gpu-02", {GPU: 3})],
        records=some_records(
            nodes=[
                a_record("gpu-01"),
                a_record("gpu-02"),
                a_record("gpu-03"),
                a_record("gpu-09"),
                a_record("s-1", Target.SLURM),
                a_record("s-2", Target.SLURM),
            ],
            workspaces=[a_workspace(given={H100: 12})],
        ),
        slurm_nodes=[a_slurm_node("s-1"), a_slurm_node("s-2")],
        jobs=[a_job("7", {"s-1": 8, "s-2": 4})],
    )


def lines(keeper, asked):
    data = Gateway(keeper).ask(f'{{ cluster(name: "fleet") {{ capacity {{ target {asked} }} }} }}')["data"]
    return {line.pop("target"): line for line in data["cluster"]["capacity"]}


def terms(keeper, target, field, asked):
    line = lines(keeper, f"explain(field: {field}) {{ terms {{ label {asked} }} }}")[target]
    return {term.pop("label"): term for term in line["explain"]["terms"]}


BY_LABEL = "counted by the label nvidia.com/gpu.count"


def test_without_more_it_explains_what_is_available(keeper):
    line = lines(keeper, "available explain { value formula }")["KUBERNETES"]

    assert line == {
        "available": 4,
        "explain": {"value": 4, "formula": "healthy - allocated, never below 0"},
    }


@pytest.mark.parametrize(
    "field",
    ["physical", "healthy", "schedulable", "partitioned", "allocated", "used", "available", "deficit"],
)
def test_every_number_is_the_sum_of_its_terms(keeper, field):
    asked = f"{field} explain(field: {field.upper()}) {{ value terms {{ value }} }}"

    for line in lines(keeper, asked).values():
        assert line[field] == line["explain"]["value"]
        assert line[field] == sum(term["value"] for term in line["explain"]["terms"])


def test_subjects_come_by_name_and_as_many_as_are_asked_for(keeper):
    counted = terms(
        keeper,
        "KUBERNETES",
        "PHYSICAL",
        "subjectCount subjects(first: 2) { __typename ... on Node { name } }",
    )

    assert counted == {
        BY_LABEL: {
            "subjectCount": 3,
            "subjects": [
                {"__typename": "Node", "name": "gpu-01"},
                {"__typename": "Node", "name": "gpu-02"},
            ],
        }
    }


def test_a_job_that_holds_two_machines_is_one_subject(keeper):
    asked = "value system subjectCount subjects { ... on SlurmJob { jobId } }"

    assert terms(keeper, "SLURM", "ALLOCATED", asked) == {
        "given to Slurm jobs": {
            "value": 12,
            "system": "SLURM",
            "subjectCount": 1,
            "subjects": [{"jobId": "7"}],
        }
    }


def test_a_workspace_is_the_subject_of_what_it_was_given(keeper):
    asked = "system subjects { ... on Workspace { name } }"

    given = terms(keeper, "KUBERNETES", "ALLOCATED", asked)["given to workspace vision/training"]

    assert given == {"system": "PLATFORM", "subjects": [{"name": "training"}]}


def test_what_is_left_out_comes_as_much_as_is_asked_for(keeper):
    left_out = "excludedCount excluded(first: 1) { subject { ... on Node { name } } count system }"

    line = lines(keeper, f"explain(field: PHYSICAL) {{ {left_out} }}")["KUBERNETES"]

    assert line["explain"] == {
        "excludedCount": 1,
        "excluded": [{"subject": {"name": "gpu-09"}, "count": None, "system": "PLATFORM"}],
    }


@pytest.mark.parametrize(("asked", "first"), [("excluded", 0), ("excluded", 1001), ("terms { subjects", -1)])
def test_a_number_of_rows_that_nobody_can_be_given_is_refused(keeper, asked, first):
    closed = " }" if "{" in asked else ""
    line = f"explain {{ {asked}(first: {first}) {{ __typename }}{closed} }}"

    error = Gateway(keeper).refusal(f'{{ cluster(name: "fleet") {{ capacity {{ {line} }} }} }}')

    assert error["extensions"] == {"code": "INVALID"}
    assert error["message"] == f"first: {first} is not from 1 to 1,000"


def test_a_term_is_as_old_as_the_listing_that_it_rests_on(keeper):
    keeper.touch(PODS, LATE)

    used = terms(keeper, "KUBERNETES", "USED", "observedAt stale")
    counted = terms(keeper, "KUBERNETES", "HEALTHY", "observedAt stale")

    assert used == {"held by pods": {"observedAt": "2026-11-29T11:55:00Z", "stale": True}}
    assert counted == {
        label: {"observedAt": "2026-11-29T12:00:00Z", "stale": False} for label in (BY_LABEL, "not Ready")
    }


def test_what_slurm_says_is_as_old_as_its_own_listings(keeper):
    keeper.touch(SLURM_NODES, LATE)

    (counted,) = terms(keeper, "SLURM", "PHYSICAL", "stale").values()
    (given,) = terms(keeper, "SLURM", "ALLOCATED", "stale").values()

    assert (counted["stale"], given["stale"]) == (True, False)


def test_what_follows_from_the_other_terms_has_no_age(keeper):
    rest = terms(keeper, "KUBERNETES", "DEFICIT", "value observedAt stale")["healthy beyond what is given"]

    assert rest == {"value": 4, "observedAt": None, "stale": False}


def test_silence_is_a_term_with_the_age_of_what_was_heard_last(keeper):
    keeper.touch(SLURM_JOBS, HOUR_AGO)

    line = lines(keeper, "explain(field: USED) { value atLeast terms { label value observedAt stale } }")[
        "SLURM"
    ]

    assert line["explain"] == {
        "value": None,
        "atLeast": 0,
        "terms": [{"label": "not known", "value": None, "observedAt": "2026-11-29T11:00:00Z", "stale": True}],
    }


def test_a_line_that_is_asked_for_again_explains_itself(keeper):
    gateway = Gateway(keeper)
    (line,) = gateway.data(
        '{ tenant(name: "vision") { capacity(filter: {targets: [KUBERNETES]}) { id explain { ...Whole } } } }'
        + WHOLE
    )["tenant"]["capacity"]

    again = gateway.data(
        "query ($id: ID!) { entity(id: $id) { ... on GpuBalance { id explain { ...Whole } } } }" + WHOLE,
        id=line["id"],
    )

    assert again["entity"] == line


WHOLE = " fragment Whole on Explanation { value terms { label value subjects { id } } excluded { reason } }"


def test_a_cluster_that_was_never_heard_of_has_nothing_to_explain(keeper):
    keeper.touch(NODES, NEVER)

    answer = Gateway(keeper).ask('{ cluster(name: "fleet") { capacity { explain { value } } } }')

    assert answer["data"]["cluster"]["capacity"] is None
