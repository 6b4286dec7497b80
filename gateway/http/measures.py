"""How deep and how wide an operation is once its fragments are expanded."""

from collections.abc import Sequence
from typing import NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
)

from gateway.http.limits import Limits


class _Size(NamedTuple):
    depth: int = 0
    aliases: int = 0
    directives: int = 0


def excesses(document: DocumentNode, limits: Limits) -> list[GraphQLError]:
    """What is too much of each operation; nothing is expanded, so a bomb costs no more than its text."""
    ruler = _Ruler(document)
    bounds = _Size(limits.max_depth, limits.max_aliases, limits.max_directives)
    return [
        GraphQLError(f"the operation has {what} {size}, more than {bound}", operation)
        for operation in document.definitions
        if isinstance(operation, OperationDefinitionNode)
        for what, size, bound in zip(_Size._fields, ruler.size(operation), bounds, strict=True)
        if size > bound
    ]


class _Ruler:
    """Measures selections, each fragment once; one within itself counts nothing: validation refuses it."""

    def __init__(self, document: DocumentNode) -> None:
        fragments = (node for node in document.definitions if isinstance(node, FragmentDefinitionNode))
        self._fragments = {node.name.value: node for node in fragments}
        self._sizes: dict[str, _Size] = {}

    def size(self, node: OperationDefinitionNode | FragmentDefinitionNode) -> _Size:
        """How much one definition asks in all."""
        return _with_directives(self._inside(node.selection_set), node.directives)

    def _inside(self, selections: SelectionSetNode | None) -> _Size:
        sizes = [self._selection(node) for node in selections.selections] if selections else []
        return _Size(
            max((size.depth for size in sizes), default=0),
            sum(size.aliases for size in sizes),
            sum(size.directives for size in sizes),
        )

    def _selection(self, node: SelectionNode) -> _Size:
        if isinstance(node, FragmentSpreadNode):
            return _with_directives(self._fragment(node.name.value), node.directives)
        inside = _with_directives(self._inside(getattr(node, "selection_set", None)), node.directives)
        if not isinstance(node, FieldNode):
            return inside
        return inside._replace(depth=inside.depth + 1, aliases=inside.aliases + (node.alias is not None))

    def _fragment(self, name: str) -> _Size:
        if name not in self._sizes:
            self._sizes[name] = _Size()
            if found := self._fragments.get(name):
                self._sizes[name] = self.size(found)
        return self._sizes[name]


def _with_directives(size: _Size, directives: Sequence[object] | None) -> _Size:
    return size._replace(directives=size.directives + len(directives or ()))
