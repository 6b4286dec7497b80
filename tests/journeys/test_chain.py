"""Each fault between the cards and the scheduler, told by an API server, and where the chain breaks."""

import pytest

from tests.journeys.links.faults import FAULTS
from tests.journeys.links.machine import Site
from tests.journeys.scenes.objects import gateway_of

QUERY = """{ node(cluster: "fleet", name: "gpu-01") {
  gpuChain { check outcome finding evidence { system path value } remedies { action text subject { id } } }
} }"""


async def chain(site):
    return (await gateway_of(site.objects)).data(QUERY)["node"]["gpuChain"]


async def test_a_healthy_machine_passes_every_link():
    found = await chain(Site())

    assert [(step["check"], step["outcome"]) for step in found] == [
        (link, "PASS")
        for link in (
            "HARDWARE",
            "DRIVER",
            "RUNTIME",
            "DEVICE_PLUGIN",
            "KUBELET",
            "LABELS",
            "MIG_STATE",
            "SHARING_CONFIG",
            "POD_SECURITY",
        )
    ]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_fault_is_found_at_its_link_and_shown(fault):
    site = Site()
    fault.breaks(site)

    found = await chain(site)

    (wrong,) = [step for step in found if step["outcome"] in {"FAIL", "WARN"}]
    assert (wrong["check"], wrong["outcome"]) == (fault.link, fault.outcome), wrong["finding"]
    assert (found[-1] is wrong) is (fault.outcome == "FAIL")
    assert fault.finding in wrong["finding"]
    assert ". See: kubectl " in wrong["finding"]
    assert {"system": "KUBERNETES", "path": fault.evidence[0], "value": fault.evidence[1]} in wrong[
        "evidence"
    ]
    assert [remedy["action"] for remedy in wrong["remedies"]] == [fault.action]
    assert wrong["remedies"][0]["subject"] is not None
