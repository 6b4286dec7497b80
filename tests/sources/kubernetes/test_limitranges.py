import msgspec
import pytest

from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.limitranges import read_limit_range

GPU, SLICE = "nvidia.com/gpu", "nvidia.com/mig-1g.10gb"


def read(limits, problems=None):
    body = {"metadata": {"name": "sizes", "namespace": "vision"}, "spec": {"limits": limits}}
    raw = msgspec.Raw(msgspec.json.encode(body))
    return read_limit_range("fleet", raw, [] if problems is None else problems)


def text(amount):
    return amount.text if amount else None


def told(limits):
    return [
        (one.resource, one.of_container, text(one.least), text(one.most), text(one.given))
        for one in read(limits).limits
    ]


def test_reads_what_is_said_of_gpus_about_pods_and_containers():
    pod = {"type": "Pod", "max": {GPU: "8", "cpu": "16"}, "min": {"memory": "1Gi"}}
    container = {"type": "Container", "min": {SLICE: 1}, "max": {GPU: 4}, "default": {GPU: "1"}}
    claim = {"type": "PersistentVolumeClaim", "max": {"storage": "1Ti"}}

    assert told([pod, container, claim]) == [
        (GPU, True, None, "4", "1"),
        (GPU, False, None, "8", None),
        (SLICE, True, "1", None, None),
    ]


def test_a_maximum_is_what_containers_get_that_name_none():
    assert told([{"type": "Container", "max": {GPU: "4"}}]) == [(GPU, True, None, "4", "4")]


def test_says_nothing_of_gpus():
    assert told([{"type": "Container", "default": {"cpu": "1"}}]) == []
    assert read(None).limits == ()


def test_an_amount_that_is_none_is_unknown_and_told():
    problems = []

    (limit,) = read([{"type": "Pod", "max": {GPU: "four"}}], problems).limits

    assert isinstance(limit.most.value, Unknown)
    assert [(one.path, one.raw) for one in problems] == [(f"spec.limits[Pod].max[{GPU}]", "four")]


def test_one_whose_spec_cannot_be_read_is_left_out():
    with pytest.raises(UNREADABLE):
        read("none")
