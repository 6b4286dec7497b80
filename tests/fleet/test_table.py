from typing import NamedTuple

from gateway.fleet.table import Table


class Row(NamedTuple):
    name: str
    node: str
    labels: tuple[str, ...] = ()


def a_table(*rows):
    table = Table(node=lambda row: (row.node,), label=lambda row: row.labels)
    return table.changed({row.name: row for row in rows})


A, B, C = Row("a", "x"), Row("b", "x"), Row("c", "y", ("red", "blue"))


def test_finds_rows_by_key_and_by_group():
    table = a_table(A, B, C)

    assert table.get("b") is B
    assert table.get("z") is None
    assert dict(table.group("node", "x")) == {"a": A, "b": B}
    assert dict(table.group("label", "blue")) == {"c": C}
    assert dict(table.group("node", "z")) == {}


def test_a_row_moves_between_groups():
    table = a_table(A, B).changed({"a": Row("a", "y")})

    assert dict(table.group("node", "x")) == {"b": B}
    assert dict(table.group("node", "y")) == {"a": Row("a", "y")}


def test_a_row_that_is_gone_leaves_its_groups():
    table = a_table(A, C).changed({"c": None, "never": None})

    assert dict(table.rows) == {"a": A}
    assert dict(table.group("label", "red")) == {}


def test_a_change_leaves_the_table_before_as_it_was():
    before = a_table(A)
    after = before.changed({"a": None, "b": B})

    assert dict(before.rows) == {"a": A}
    assert dict(before.group("node", "x")) == {"a": A}
    assert dict(after.rows) == {"b": B}


def test_groups_that_no_change_reaches_keep_their_identity():
    before = a_table(A, C)
    after = before.changed({"a": Row("a", "x", ("green",))})

    assert after.group("node", "y") is before.group("node", "y")
    assert after.group("node", "x") is not before.group("node", "x")


def test_the_same_rows_again_are_the_same_table():
    table = a_table(A, B)

    assert table.changed({"a": A}) is table
    assert table.changed({}) is table
