"""Where cards or slices would fit, asked as a caller does."""

import pytest

from gateway.errors import System
from gateway.fleet.source import SourceKey
from tests.asking import Gateway
from tests.builders import a_node, a_pod, a_record, some_records
from tests.fleets import NEVER, a_keeper
from tests.gpu_labels import GPU, mixed

RECORDS = SourceKey(System.PLATFORM, "", "records")


def keeper():
    nodes = [
        a_node("gpu-01"),
        a_node("gpu-02", labels=mixed(2), capacity={GPU: 2}),
        a_node("gpu-03", labels={}),
    ]
    records = some_records([a_record("gpu-01", tenant="vision"), a_record("gpu-02", tenant="ocean")])
    return a_keeper(nodes, [a_pod(asks={GPU: 6})], records)


def fits(ask, shown="fits"):
    return f"{{ fits(ask: {ask}) {{ {shown} }} }}"


@pytest.mark.parametrize(
    ("ask", "code", "message"),
    [
        ('{cards: {gpuType: "H100", count: 1}}', "NOT_FOUND", "there is no GPU type 'H100'; there is H100-"),
        (
            '{cards: {gpuType: "H100-80GB", count: 1, tenant: "visions"}}',
            "NOT_FOUND",
            "there is no tenant 'visions'; there is vision",
        ),
        (
            '{slices: {profile: "1g.10g", count: 1, gpuType: "H100-80GB"}}',
            "NOT_FOUND",
            "there is no MIG profile of H100-80GB '1g.10g'; there is 1g.10gb",
        ),
        (
            '{slices: {profile: "9g.9gb", count: 1}}',
            "NOT_FOUND",
            "there is no MIG profile '9g.9gb'; there is ",
        ),
        (
            '{slices: {profile: "1g.10gb", count: 1, gpuType: "T4-16GB"}}',
            "NOT_FOUND",
            "there is no MIG profile of T4-16GB '1g.10gb'; there is none at all",
        ),
        ('{cards: {gpuType: "H100-80GB", count: 0}}', "INVALID", "count: 0 is less than 1"),
        ('{cards: {gpuType: "H100-80GB", count: 1, nodes: -1}}', "INVALID", "nodes: -1 is less than 1"),
    ],
)
def test_an_ask_that_makes_no_sense_is_told_what_there_is(ask, code, message):
    refusal = Gateway(keeper()).refusal(fits(ask))

    assert refusal["extensions"]["code"] == code
    assert refusal["message"].startswith(message)


def test_a_profile_may_be_written_as_labels_write_it():
    said = Gateway(keeper()).data(
        fits('{slices: {profile: "1g.10gb.me", count: 1}}', "fits remedies { text }")
    )

    assert said["fits"]["remedies"][0]["text"].startswith(
        "Cut 1 of the whole cards of gpu-02 that nobody holds into 1 x 1g.10gb+me"
    )


def test_machines_are_pages_of_those_that_do_or_do_not():
    ask = '{cards: {gpuType: "H100-80GB", count: 2}}'
    shown = "does: nodes(fits: true) { ...P } does_not: nodes(fits: false) { ...P } all: nodes { ...P }"
    page = "fragment P on NodeVerdictConnection { nodes { node { name } unknowns { field reason } } }"

    said = Gateway(keeper()).data(f"{fits(ask, shown)} {page}")["fits"]

    names = {key: [one["node"]["name"] for one in said[key]["nodes"]] for key in ("does", "does_not", "all")}
    assert names == {"does": ["gpu-01"], "does_not": ["gpu-02"], "all": ["gpu-01", "gpu-02", "gpu-03"]}
    (unknown,) = said["all"]["nodes"][2]["unknowns"]
    assert unknown == {"field": "fits", "reason": "no label nvidia.com/gpu.product"}


def test_what_is_to_be_done_names_what_to_do_it_to():
    said = Gateway(keeper()).data(
        fits(
            '{cards: {gpuType: "H100-80GB", count: 8}}',
            "remedies { action subject { id ... on Pod { name namespace } } }",
        )
    )

    (remedy,) = said["fits"]["remedies"]
    assert remedy["action"] == "FREE_WORKLOADS"
    assert (remedy["subject"]["namespace"], remedy["subject"]["name"]) == ("training", "work-0")


@pytest.mark.parametrize(
    "ask",
    [
        '{cards: {gpuType: "H100-80GB", count: 1, tenant: "vision"}}',
        '{cards: {gpuType: "our-own", count: 1}}',
        '{slices: {profile: "9g.9gb", count: 1}}',
    ],
)
def test_what_only_a_silent_platform_could_name_is_its_silence(ask):
    hushed = keeper()
    hushed.touch(RECORDS, NEVER)

    answer = Gateway(hushed).ask(fits(ask))

    assert answer["data"] == {"fits": None}
    (error,) = answer["errors"]
    assert (error["extensions"]["code"], error["extensions"]["system"]) == ("SOURCE_UNAVAILABLE", "PLATFORM")
