import msgspec
import pytest
from immutables import Map

from gateway.fleet.namespace import Namespace
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.namespaces import namespaces


def read(**metadata):
    return namespaces("fleet").read(msgspec.Raw(msgspec.json.encode({"metadata": metadata})), [])


def test_reads_the_labels_of_a_namespace():
    enforced = {"pod-security.kubernetes.io/enforce": "privileged"}

    assert read(name="gpu-operator", labels=enforced) == Namespace(
        cluster="fleet", name="gpu-operator", labels=Map(enforced)
    )
    assert read(name="bare").labels == Map()


def test_labels_that_are_none_are_not_taken_for_no_labels():
    with pytest.raises(UNREADABLE):
        read(name="odd", labels=["enforce"])
