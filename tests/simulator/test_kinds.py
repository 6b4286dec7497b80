import pytest

from gateway.simulator.kinds import Resource, plural, resource_named


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("Node", "nodes"),
        ("DeviceClass", "deviceclasses"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Gateway", "gateways"),
        ("Endpoints", "endpoints"),
    ],
)
def test_a_kind_has_the_plural_that_kubernetes_gives_it(kind, word):
    assert plural(kind) == word


@pytest.mark.parametrize("stem", ["pods", "pod", "Pods", "gpu-pods", "2026-11-29_pods"])
def test_the_name_of_a_file_tells_the_kind(stem):
    assert resource_named(stem) == Resource(api_version="v1", kind="Pod")


def test_another_name_tells_nothing():
    assert resource_named("everything") is None
