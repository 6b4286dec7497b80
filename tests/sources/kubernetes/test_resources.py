import msgspec
import pytest

from gateway.fleet.dra import Device, DeviceKind, Given
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.resourceclaims import read_claim
from gateway.sources.kubernetes.resourceslices import read_slice
from tests.listed import a_claim, a_claim_object, a_gpu, a_part, a_slice, a_slice_object, tainted


def raw(body):
    return msgspec.Raw(msgspec.json.encode(body))


def test_reads_what_a_driver_lists():
    found = a_slice("gpu-01", [a_gpu(0), a_part(1, 4, "3g.20gb", **tainted())], generation=7, of=2)

    assert (found.cluster, found.name) == ("fleet", "gpu-01-gpu.nvidia.com-7-0")
    assert (found.driver, found.pool, found.node_name) == ("gpu.nvidia.com", "gpu-01", "gpu-01")
    assert (found.generation, found.slices_of_pool) == (7, 2)
    assert found.devices == (
        Device(
            name="gpu-0",
            kind=DeviceKind.GPU,
            uuid="GPU-0",
            parent=None,
            profile=None,
            product="NVIDIA A100-SXM4-40GB",
            tainted=False,
        ),
        Device(
            name="gpu-1-mig-3g.20gb-4",
            kind=DeviceKind.MIG,
            uuid="MIG-1-3g.20gb-4",
            parent="GPU-1",
            profile="3g.20gb",
            product="NVIDIA A100-SXM4-40GB",
            tainted=True,
        ),
    )


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"gpu.nvidia.com/type": {"string": "gpu"}}, DeviceKind.GPU),
        ({"type": {"string": "vfio"}}, DeviceKind.OTHER),
        ({"type": {"int": 1}}, DeviceKind.OTHER),
        ({"other.example.com/type": {"string": "gpu"}}, DeviceKind.OTHER),
        (None, DeviceKind.OTHER),
    ],
)
def test_a_device_is_what_its_own_driver_says(attributes, kind):
    body = a_slice_object("gpu-01", [{"name": "x", "attributes": attributes}])

    assert read_slice("fleet", raw(body), []).devices[0].kind is kind


def test_a_slice_of_no_one_node_names_none():
    body = a_slice_object("gpu-01", [a_gpu(0)])
    body["spec"] |= {"nodeName": None, "allNodes": True}

    assert read_slice("fleet", raw(body), []).node_name is None


@pytest.mark.parametrize("path", ["pool", "driver", "devices"])
def test_a_slice_that_cannot_be_read_is_none_rather_than_a_part_of_itself(path):
    body = a_slice_object("gpu-01", [a_gpu(0)])
    body["spec"][path] = 7

    with pytest.raises(UNREADABLE):
        read_slice("fleet", raw(body), [])


def test_a_claim_holds_what_it_was_given():
    assert a_claim("a", "gpu-0", "gpu-1").given == (
        Given("gpu.nvidia.com", "gpu-01", "gpu-0"),
        Given("gpu.nvidia.com", "gpu-01", "gpu-1"),
    )
    assert a_claim("a").given == a_claim("a", "gpu-0", admin=True).given == ()


def test_a_claim_that_cannot_be_read_is_none_rather_than_one_that_holds_nothing():
    body = a_claim_object("a", "gpu-0")
    body["status"]["allocation"]["devices"]["results"] = "gpu-0"

    with pytest.raises(UNREADABLE):
        read_claim("fleet", raw(body), [])
