from dataclasses import dataclass, fields
from typing import get_type_hints

import pytest
import strawberry

from gateway.fleet.gpu import GpuType
from gateway.fleet.node import Node, NodeHealth
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.unknown import Maybe, Unknown
from resolvers import paging
from schema import paging as shown
from schema.build import executable
from schema.view import answer, attribute, is_unknowns, path_of, view
from tests.schema.graph import GRAPH, fields_of_objects
from tests.schema.shapes import ANYTHING, VIEWS, promise_of, promised


def definition_of(field):
    return field.extensions["strawberry-definition"]


def views():
    """Each field of each view: where it stands, what it says it is, what its record or resolver promises."""
    for path, field in fields_of_objects():
        kind, name = path.split(".")
        definition = definition_of(field)
        if is_unknowns(definition) or (kind not in VIEWS and kind != "Query"):
            continue
        if definition.base_resolver is not None:
            hints = get_type_hints(definition.base_resolver.wrapped_func)
            yield path, str(field.type), promised(hints["return"])
        else:
            kept = promise_of(VIEWS[kind].record, path_of(definition))
            yield path, str(field.type), kept.replace("String", "ID") if name == "id" else kept


def keeps(said, promise):
    """Whether what a view says is what its record or resolver promises."""
    return not said.endswith("!") if promise == ANYTHING else said == promise


def test_every_view_shows_what_its_record_or_resolver_promises():
    assert {path: (said, promise) for path, said, promise in views() if not keeps(said, promise)} == {}


def test_every_mutation_answers_what_its_payload_shows():
    for name, field in GRAPH.mutation_type.fields.items():
        answered = get_type_hints(definition_of(field).base_resolver.wrapped_func)["return"]

        assert VIEWS[field.type.of_type.name].record is answered, name


def test_pages_show_what_the_resolvers_cut():
    """Generic on both sides, so compared by name and annotation."""
    for view_type, record in [
        (shown.Connection, paging.Page),
        (shown.Edge, paging.Edge),
        (shown.PageInfo, paging.PageInfo),
    ]:
        assert {one.name for one in fields(view_type)} == {one.name for one in fields(record)}
    assert str(GRAPH.type_map["NodeConnection"].fields["totalCount"].type) == "Int"
    assert promise_of(paging.Page, ["total_count"]) == "Int"
    assert promise_of(paging.Page, ["page_info", "end_cursor"]) == "String"


@pytest.mark.parametrize(
    ("annotation", "promise"),
    [
        (str, "String!"),
        (Maybe[int], "Int"),
        (int | Unknown, "Int"),
        (None, ANYTHING),
        (tuple[GpuType, ...], "[GpuType!]!"),
        (Maybe[list[Node]], "[Node!]"),
        (list[Pod | SlurmJob] | Unknown, "[Workload!]"),
        (paging.Page[Node] | Unknown, "NodeConnection"),
    ],
)
def test_annotations_are_read_as_graphql(annotation, promise):
    assert promised(annotation) == promise


def test_a_part_that_may_be_missing_makes_all_of_it_nullable():
    assert promise_of(Node, ["kubernetes", "cordoned"]) == "Boolean"
    assert promise_of(NodeHealth, ["reasons"]) == "[HealthReason!]!"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rack:
    name: str


def test_a_view_of_what_the_record_does_not_have_is_refused():
    with pytest.raises(TypeError, match=r"RackView\.height shows Rack\.height, which the record does not"):

        @view(Rack)
        class RackView:
            """A rack."""

            height: int = attribute("In units.")


def test_a_view_of_a_part_that_the_record_does_not_have_is_refused():
    with pytest.raises(TypeError, match=r"RackView\.height shows Rack\.frame, which the record does not"):

        @view(Rack)
        class RackView:
            """A rack."""

            height: int = attribute("In units.", of="frame")


def test_an_answers_sentence_is_its_resolvers():
    def tall() -> int:
        """In units.

        Of 44.45 mm.
        """
        return 42

    @strawberry.type
    class Query:
        height: int = answer(tall)

    (height,) = executable(strawberry.Schema(Query)).query_type.fields.values()
    assert height.description == "In units.\n\nOf 44.45 mm."
