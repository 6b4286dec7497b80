from graphql import (
    GraphQLInputObjectType,
    GraphQLScalarType,
    Undefined,
    build_schema,
    is_list_type,
    is_non_null_type,
    parse,
    validate,
)

from tests.schema.graph import GRAPH, INTERFACES, OBJECTS, PAGES, SCHEMA, fields_of_objects

OWN = [kind for name, kind in sorted(GRAPH.type_map.items()) if not name.startswith("__")]
INPUTS = [kind for kind in OWN if isinstance(kind, GraphQLInputObjectType)]
ARGUMENTS = [
    *(one for _, field in fields_of_objects() for one in field.args.items()),
    *(one for kind in INPUTS for one in kind.fields.items()),
]


def test_there_is_no_scalar_that_hides_a_shape():
    scalars = {kind.name for kind in OWN if isinstance(kind, GraphQLScalarType)}

    assert scalars == {"Boolean", "DateTime", "Decimal", "ID", "Int", "String"}


def test_every_type_says_what_it_is():
    assert [kind.name for kind in OWN if not kind.description] == []


def test_every_field_says_what_it_is():
    exempt = tuple(f"{kind.name}." for kind in PAGES)

    assert [
        path for path, one in fields_of_objects() if not one.description and not path.startswith(exempt)
    ] == []


def test_no_sentence_is_indented_like_the_code_that_it_stands_in():
    sentences = [kind.description for kind in OWN] + [one.description or "" for _, one in fields_of_objects()]

    assert [sentence for sentence in sentences if "\n " in sentence] == []


def test_what_is_left_out_prints_no_default():
    assert "= null" not in SCHEMA.as_str()


def test_null_lifts_no_bound():
    """Clients send null for what they leave out: what has a default takes no null."""
    defaulted = {name: one for name, one in ARGUMENTS if one.default_value is not Undefined}

    assert set(defaulted) == {
        "direction",
        "dryRun",
        "field",
        "first",
        "includeNonGpu",
        "includeResolved",
        "nodes",
        "unassigned",
    }
    assert {name for name, one in defaulted.items() if not is_non_null_type(one.type)} == set()


def test_every_list_in_pages_is_bounded_unless_more_is_asked_for():
    paged = [field for _, field in fields_of_objects() if str(field.type).endswith("Connection")]

    assert paged
    assert {field.args["first"].default_value for field in paged} == {20, 50}


def test_what_has_an_id_can_be_asked_for_again():
    entity = next(kind for kind in INTERFACES if kind.name == "Entity")
    with_id = {kind.name for kind in OBJECTS if "id" in kind.fields}

    assert {kind.name for kind in GRAPH.get_possible_types(entity)} == with_id


def test_only_lists_of_what_is_at_hand_are_never_null():
    """Silence empties no list: one that needs a system can be null."""
    never_null = {
        path
        for path, field in fields_of_objects()
        if is_non_null_type(field.type)
        and is_list_type(field.type.of_type)
        and field.extensions.get("systems")
        and not path.endswith(".unknowns")
    }

    assert never_null == {
        "Explanation.excluded",
        "Explanation.terms",
        "GpuType.products",
        "GpuType.slurmTypes",
        "Node.knownTo",
        "Pod.gpus",
        "Query.entities",
        "ReportedHealth.reasons",
        "SlurmNode.partitions",
        "SlurmNode.states",
        "Term.subjects",
        "Workspace.namespaces",
    }


def test_exactly_one_part_of_a_choice_is_asked_for_before_anything_is_executed():
    choices = {kind.name for kind in INPUTS if kind.is_one_of}
    mutation = 'mutation { setMigLayout(input: {node: {cluster: "a", name: "b"}, layout: %s}) { dryRun } }'

    assert choices == {"FitAsk", "ImpactInput", "MigLayoutInput"}
    assert validate(GRAPH, parse(mutation % '{config: "all-1g.10gb"}')) == []
    assert validate(GRAPH, parse(mutation % '{config: "all-1g.10gb", cards: []}'))
    assert validate(GRAPH, parse(mutation % "{}"))


def test_clients_can_read_the_printed_schema_with_its_directives():
    read = build_schema(SCHEMA.as_str())

    assert {one.name for one in read.directives} > {"source", "derived", "ownedBy", "oneOf"}
    assert read.type_map["MigLayoutInput"].is_one_of
