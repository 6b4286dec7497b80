from pathlib import Path

from graphql import TypeInfo, TypeInfoVisitor, Visitor, parse, visit

from schema.build import executable
from tests.asking import SCHEMA
from tests.schema.graph import PAGES, fields_of_objects

HERE = Path(__file__).parent
EVERYTHING = (HERE / "everything.graphql").read_text(encoding="utf-8")
KEPT = (HERE / "kept.graphql").read_text(encoding="utf-8")
"""What is not in memory, and so is waited for."""
CHANGES = (HERE / "changes.graphql").read_text(encoding="utf-8")


class Asked(Visitor):
    def __init__(self, types):
        super().__init__()
        self._types = types
        self.paths = set()

    def enter_field(self, node, *_):
        self.paths.add(f"{self._types.get_parent_type().name}.{node.name.value}")


def test_everything_asks_for_every_field():
    types = TypeInfo(executable(SCHEMA))
    asked = Asked(types)
    for document in (EVERYTHING, KEPT, CHANGES):
        visit(parse(document), TypeInfoVisitor(types, asked))
    beside_data = ("Query.", *(f"{kind.name}." for kind in PAGES))

    everything = {path for path, _ in fields_of_objects() if not path.startswith(beside_data)}

    assert everything - asked.paths == set()
