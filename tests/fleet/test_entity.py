from dataclasses import replace

import pytest

from gateway.errors import Invalid
from gateway.fleet.cluster import Cluster
from gateway.fleet.entity import EntityKind, entity_id, read_id
from gateway.fleet.platform import Tenant
from tests.builders import a_job, a_node, a_pod, a_queue, a_workspace
from tests.fleets import a_fleet, a_machine
from tests.gpu_labels import GPU, mixed


def test_an_id_reads_back_to_what_it_names():
    assert read_id(entity_id(EntityKind.NODE, "fleet", "gpu/01")) == (EntityKind.NODE, ("fleet", "gpu/01"))


@pytest.mark.parametrize("text", ["", "node", "bm9kZQ*", "é", "AAAA", entity_id(EntityKind.NODE, "a")[1:]])
def test_what_was_never_answered_is_no_id(text):
    with pytest.raises(Invalid, match="pass an id that it answered before"):
        read_id(text)


def test_everything_has_an_id_of_its_own():
    cut = a_machine(a_node(labels=mixed(), capacity={GPU: 7, "nvidia.com/mig-1g.10gb": 7}))
    things = [
        Cluster(name="a", kubernetes_version=None),
        Tenant(name="a", display_name=None),
        a_workspace("a", tenant="a"),
        a_queue("a"),
        a_machine(a_node("a")),
        *cut.mig_slices,
        a_pod("a"),
        a_job("a"),
        *a_fleet().sources,
    ]

    assert len({thing.id for thing in things}) == len(things)


def test_a_pod_of_the_same_name_is_another_pod():
    assert a_pod("a").id != replace(a_pod("a"), uid="another").id
