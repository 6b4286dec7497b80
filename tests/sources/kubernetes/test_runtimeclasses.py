import msgspec

from gateway.fleet.runtime_class import RuntimeClass
from gateway.sources.kubernetes.runtimeclasses import runtime_classes


def test_reads_a_runtime_class():
    body = {"metadata": {"name": "nvidia"}, "handler": "nvidia-legacy"}

    found = runtime_classes("fleet").read(msgspec.Raw(msgspec.json.encode(body)), [])

    assert found == RuntimeClass(cluster="fleet", name="nvidia", handler="nvidia-legacy")
