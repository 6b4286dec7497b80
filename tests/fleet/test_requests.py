import json
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.errors import System
from gateway.fleet.quantity import read_quantity
from gateway.fleet.requests import InitStep, PodRequests, requested, resources, unit_of
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import undetermined

GPU = "nvidia.com/gpu"
RECORDINGS = Path(__file__).parents[1] / "recordings" / "kubernetes"
FLEETS = sorted(folder.parent.name for folder in RECORDINGS.glob("*/accounts.json"))
UNREAD = undetermined(System.KUBERNETES, "nvidia.com/gpu: 'two' is not a Kubernetes quantity")


def asks(count):
    return {GPU: Decimal(count)}


def step(count):
    return InitStep(asks=asks(count), sidecar=False)


def sidecar(count):
    return InitStep(asks=asks(count), sidecar=True)


CASES = {
    "containers run together": (PodRequests(containers=(asks(1), asks(2))), 3),
    "an init step runs before them": (PodRequests(containers=(asks(1),), init=(step(4),)), 4),
    "init steps run one after another": (PodRequests(containers=(asks(1),), init=(step(2), step(3))), 3),
    "a sidecar runs beside the containers": (PodRequests(containers=(asks(2),), init=(sidecar(1),)), 3),
    "a sidecar runs beside later init steps": (PodRequests(init=(sidecar(1), step(4))), 5),
    "a sidecar is not there for earlier ones": (PodRequests(init=(step(4), sidecar(1))), 4),
    "sidecars add up": (PodRequests(containers=(asks(1),), init=(sidecar(1), sidecar(2), step(1))), 4),
    "pod-level resources replace the sum": (PodRequests(containers=(asks(3),), pod_level=asks(2)), 2),
    "overhead is added to all of it": (PodRequests(containers=(asks(3),), overhead=asks(1)), 4),
    "overhead is added to pod-level too": (PodRequests(pod_level=asks(2), overhead=asks(1)), 3),
    "nothing asked is nothing": (PodRequests(containers=({}, {"cpu": Decimal(1)})), 0),
}


@pytest.mark.parametrize(("requests", "expected"), CASES.values(), ids=CASES.keys())
def test_counts_the_most_that_a_pod_needs_at_one_time(requests, expected):
    assert requested(requests, GPU) == expected


@pytest.mark.parametrize(
    "requests",
    [
        PodRequests(containers=(asks(1), {GPU: UNREAD})),
        PodRequests(containers=(asks(9),), init=(InitStep(asks={GPU: UNREAD}, sidecar=False),)),
        PodRequests(containers=(asks(1),), overhead={GPU: UNREAD}),
        PodRequests(pod_level={GPU: UNREAD}),
    ],
)
def test_one_unread_amount_makes_the_request_unknown(requests):
    assert requested(requests, GPU) is UNREAD


def test_names_each_resource_wherever_it_stands():
    requests = PodRequests(
        containers=({"a": Decimal(1)},),
        init=(InitStep(asks={"b": Decimal(1)}, sidecar=True),),
        pod_level={"c": Decimal(1)},
        overhead={"d": Decimal(1)},
    )
    assert resources(requests) == {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("resource", "unit"),
    [
        ("nvidia.com/gpu", None),
        ("amd.com/gpu", None),
        ("nvidia.com/gpu.shared", GpuUnit.SHARE),
        ("nvidia.com/mig-1g.10gb", GpuUnit.SLICE),
        ("nvidia.com/mig-1g.10gb.shared", GpuUnit.SHARE),
        ("volcano.sh/vgpu-number", GpuUnit.SHARE),
        ("volcano.sh/vgpu-cores", GpuUnit.CORE),
        ("volcano.sh/vgpu-memory", GpuUnit.MEMORY),
    ],
)
def test_a_name_alone_never_makes_a_card(resource, unit):
    assert unit_of(resource) is unit


@pytest.mark.parametrize("fleet", FLEETS)
def test_sums_of_a_node_are_those_of_kube_scheduler(fleet):
    folder = RECORDINGS / fleet
    sums = defaultdict(lambda: defaultdict(Decimal))
    for pod in json.loads((folder / "pods.json").read_text())["items"]:
        node = pod["spec"].get("nodeName")
        if node and pod["status"].get("phase") not in {"Succeeded", "Failed"}:
            requests = pod_requests(pod["spec"])
            for resource in resources(requests):
                sums[node][resource] += requested(requests, resource)
    accounts = json.loads((folder / "accounts.json").read_text())
    assert {node: told(sums[node]) for node in accounts} == {
        node: account["requested"] for node, account in accounts.items()
    }


def pod_requests(spec):
    return PodRequests(
        containers=tuple(map(container_asks, spec["containers"])),
        init=tuple(
            InitStep(asks=container_asks(it), sidecar=it.get("restartPolicy") == "Always")
            for it in spec.get("initContainers", ())
        ),
        pod_level=container_asks(spec),
        overhead=amounts(spec.get("overhead")),
    )


def container_asks(container):
    return amounts(container.get("resources", {}).get("requests"))


def amounts(written):
    return {resource: read_quantity(str(text)) for resource, text in (written or {}).items()}


def told(sums):
    """As the scheduler writes a sum: cpu in thousandths, what is 0 left out."""
    named = {
        "cpu_milli" if resource == "cpu" else resource: amount * (1000 if resource == "cpu" else 1)
        for resource, amount in sums.items()
    }
    return {resource: int(amount) for resource, amount in named.items() if amount}
