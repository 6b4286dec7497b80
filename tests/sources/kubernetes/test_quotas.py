import msgspec
import pytest

from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.quotas import read_quota

GPU = "nvidia.com/gpu"


def read(problems=None, **parts):
    body = {"metadata": {"name": "gpus", "namespace": "vision"}, **parts}
    return read_quota("fleet", msgspec.Raw(msgspec.json.encode(body)), [] if problems is None else problems)


def amounts(found):
    return {one.resource: one.text for one in found}


def test_reads_what_is_written_of_gpus_and_what_is_counted():
    hard = {f"requests.{GPU}": "8", f"limits.{GPU}": "8", GPU: 8, "requests.cpu": "many", "pods": "40"}

    quota = read(spec={"hard": hard}, status={"hard": {GPU: "2"}, "used": {GPU: "0", "pods": "3"}})

    assert (quota.cluster, quota.namespace, quota.name) == ("fleet", "vision", "gpus")
    assert amounts(quota.hard) == {f"limits.{GPU}": "8", GPU: "8", f"requests.{GPU}": "8"}
    assert amounts(quota.used) == {GPU: "0"}


def test_a_quota_that_was_not_counted_yet_uses_nothing():
    assert read(spec={"hard": {GPU: "8"}}).used == ()
    assert read().hard == ()


def test_tells_whether_it_counts_some_pods_alone():
    assert not read(spec={"hard": {}}).scoped
    assert read(spec={"scopes": ["NotTerminating"]}).scoped
    assert read(spec={"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass"}]}}).scoped


def test_an_amount_that_is_none_is_unknown_and_told():
    problems = []

    quota = read(problems, spec={"hard": {f"requests.{GPU}": "eight"}})

    assert isinstance(quota.hard[0].value, Unknown)
    assert [(one.path, one.raw) for one in problems] == [(f"spec.hard[requests.{GPU}]", "eight")]


def test_a_quota_whose_spec_cannot_be_read_is_left_out():
    with pytest.raises(UNREADABLE):
        read(spec={"hard": [GPU]})
