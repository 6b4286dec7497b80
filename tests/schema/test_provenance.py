from strawberry.types.field import StrawberryField

from gateway.errors import System
from schema.provenance import Derived, Source, derived, kubernetes, systems_of
from tests.schema.graph import GRAPH, PAGES, field_at, fields_of_objects, is_leaf

BESIDE_DATA = {"Query", "Mutation", *(kind.name for kind in PAGES)}


def origins(field):
    definition = field.extensions["strawberry-definition"]
    assert isinstance(definition, StrawberryField)
    return [one for one in definition.directives if isinstance(one, (Source, Derived))]


def needs_origin(path, field):
    kind, name = path.split(".")
    return is_leaf(field) and name != "id" and kind not in BESIDE_DATA


FIELDS = [(path, field) for path, field in fields_of_objects() if path.split(".")[0] not in BESIDE_DATA]


def test_every_leaf_field_has_one_origin():
    assert {
        path: origins(field)
        for path, field in FIELDS
        if needs_origin(path, field) and len(origins(field)) != 1
    } == {}


def test_no_other_field_has_more_than_one_origin():
    assert {path: origins(field) for path, field in FIELDS if len(origins(field)) > 1} == {}


def test_an_origin_names_its_place():
    for path, field in FIELDS:
        for origin in origins(field):
            place = origin.path if isinstance(origin, Source) else origin.rule
            assert place, path


def test_what_no_system_says_comes_from_the_settings():
    from_nothing = {path for path, field in FIELDS for one in origins(field) if not systems_of([one])}

    assert from_nothing == {
        "Cluster.name",
        "SlurmJob.slurmCluster",
        "SlurmNode.slurmCluster",
    }


def test_a_field_rests_on_the_systems_of_its_origin():
    assert field_at("Node.target").extensions["systems"] == {System.PLATFORM}
    assert field_at("NodeGpus.cards").extensions["systems"] == {System.KUBERNETES, System.SLURM}


def test_a_list_rests_on_the_systems_that_know_its_rows():
    assert field_at("Cluster.nodes").extensions["systems"] == {
        System.KUBERNETES,
        System.PLATFORM,
        System.SLURM,
    }
    assert field_at("Cluster.queues").extensions["systems"] == {System.QUEUES}
    assert field_at("Query.tenants").extensions["systems"] == {System.PLATFORM}


def test_a_field_of_an_interface_rests_on_what_its_implementers_rest_on():
    assert field_at("Workload.state").extensions["systems"] == {System.KUBERNETES, System.SLURM}


def test_a_filter_rests_on_the_system_that_decides_it():
    assert GRAPH.type_map["NodeFilter"].fields["tenants"].extensions["systems"] == {System.PLATFORM}
    assert GRAPH.type_map["NodeFilter"].fields["names"].extensions["systems"] == frozenset()
    assert GRAPH.type_map["PodFilter"].fields["queue"].extensions["systems"] == {System.QUEUES}


def test_systems_are_those_of_the_directives():
    assert systems_of([kubernetes("spec"), derived("cards", System.SLURM), object()]) == {
        System.KUBERNETES,
        System.SLURM,
    }
