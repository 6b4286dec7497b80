"""Why the numbers of the demo's fleet are what they are, lies and all."""

import pytest

from gateway.fleet.clock import utc_now
from gateway.simulator.scenario.demo import demo_fleet
from tests.asking import Gateway
from tests.journeys.fleets import Still, read_world

FIELDS = ["PHYSICAL", "HEALTHY", "SCHEDULABLE", "PARTITIONED", "ALLOCATED", "USED", "AVAILABLE", "DEFICIT"]
GIVEN = {"ALLOCATED", "AVAILABLE", "DEFICIT"}
TOLD = """
  value
  terms { label value }
  excluded(first: 1000) { subject { ... on Node { name } } count system reason }
"""


@pytest.fixture(scope="module")
async def demo():
    """A gateway that has read the demo's fleet."""
    return Gateway(Still(await read_world(demo_fleet(utc_now))))


def explained(demo, kind, field, target="KUBERNETES"):
    line = f'filter: {{gpuTypes: ["{kind}"], targets: [{target}]}}'
    asked = f'{{ cluster(name: "fleet") {{ capacity({line}) {{ explain(field: {field}) {{ {TOLD} }} }} }} }}'
    (found,) = demo.data(asked)["cluster"]["capacity"]
    return found["explain"]


def left_out(explanation, node):
    return [
        (one["count"], one["system"], one["reason"])
        for one in explanation["excluded"]
        if one["subject"] == {"name": node}
    ]


def test_every_number_of_every_line_is_the_sum_of_its_terms(demo):
    numbers = " ".join(f"{field.lower()} of{field}: explain(field: {field}) {{ ...Sum }}" for field in FIELDS)
    data = demo.data(f"""
      {{ clusters {{ capacity {{ ...Line }} }} tenants {{ nodes {{ capacity {{ ...Line }} }} }} }}
      fragment Line on GpuBalance {{ target {numbers} }}
      fragment Sum on Explanation {{ value terms {{ value }} }}
    """)

    lines = [line for owner in (*data["clusters"], *data["tenants"]["nodes"]) for line in owner["capacity"]]
    assert len(lines) > 10
    for line in lines:
        for field in FIELDS:
            told = [term["value"] for term in line[f"of{field}"]["terms"]]
            nothing = None in told or (line["target"] is None and field in GIVEN)
            assert line[field.lower()] == line[f"of{field}"]["value"] == (None if nothing else sum(told))


def test_a_record_that_outlived_its_node_is_left_out_with_what_it_claims(demo):
    cards = explained(demo, "T4-16GB", "PHYSICAL")

    assert left_out(cards, "gpu-t4-09") == [
        (4, "PLATFORM", "its record says KUBERNETES, which does not know it")
    ]


def test_a_machine_that_is_ready_and_offers_nothing_is_taken_away(demo):
    healthy = explained(demo, "H200-141GB", "HEALTHY")

    assert healthy["terms"] == [
        {"label": "counted by the label nvidia.com/gpu.count", "value": 32},
        {"label": "the device plugin crashes", "value": -8},
    ]


def test_what_was_given_beyond_it_is_the_deficit(demo):
    *_, given, missing = explained(demo, "H200-141GB", "AVAILABLE")["terms"]

    assert given == {"label": "given to workspace language/pretraining", "value": -28}
    assert missing == {"label": "given beyond what is healthy: the deficit", "value": 4}


def test_slices_and_shares_are_left_out_of_the_cards_in_use(demo):
    slices, shares = explained(demo, "A100-80GB", "USED"), explained(demo, "T4-16GB", "USED")

    assert left_out(slices, "gpu-a100-08") == [
        (3, "KUBERNETES", "pods hold nvidia.com/gpu, which counts slices here and not cards")
    ]
    assert left_out(shares, "gpu-t4-03") == [
        (3, "KUBERNETES", "pods hold nvidia.com/gpu, which counts shares here and not cards")
    ]


def test_work_of_the_wrong_scheduler_is_left_out_of_use_in_its_name(demo):
    by_pods, by_jobs = explained(demo, "H100-80GB", "USED"), explained(demo, "H100-80GB", "USED", "SLURM")

    assert left_out(by_pods, "gpu-h100-08") == [
        (8, "SLURM", "held by Slurm jobs, and its record says KUBERNETES")
    ]
    assert left_out(by_jobs, "gpu-h100-11") == [(4, "KUBERNETES", "held by pods, and its record says SLURM")]
