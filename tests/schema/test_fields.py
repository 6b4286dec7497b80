from schema.fields import fields_page
from tests.schema.graph import PAGES, fields_of_objects

PAGE = fields_page()


def rows(kind):
    section = PAGE.split(f"\n## {kind}\n")[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| `")]


def test_tells_every_field():
    beside_data = {kind.name for kind in PAGES}
    paths = [path.split(".") for path, _ in fields_of_objects()]

    told = {
        (kind, row[3:].split("`")[0].split("(")[0])
        for kind, _ in paths
        if kind not in beside_data
        for row in rows(kind)
    }

    assert told == {(kind, name) for kind, name in paths if kind not in beside_data}


def test_a_field_that_is_read_tells_where():
    (target,) = [row for row in rows("Node") if row.startswith("| `target`")]

    assert target.startswith(
        "| `target` | `Target` | PLATFORM `node_record.target` | Which scheduler it serves"
    )


def test_a_field_that_is_computed_tells_the_rule_and_the_systems():
    (cards,) = [row for row in rows("NodeGpus") if row.startswith("| `cards`")]

    assert "| KUBERNETES, SLURM, rule [cards](accounting.md#cards) |" in cards


def test_what_one_writer_owns_tells_who_that_is():
    (desired,) = [row for row in rows("Node") if row.startswith("| `desired`")]

    assert "| PLATFORM, written by API alone |" in desired


def test_a_list_tells_the_systems_that_know_its_rows():
    (nodes,) = [row for row in rows("Cluster") if row.startswith("| `nodes(first, after, filter, orderBy)`")]

    assert "| `NodeConnection` | KUBERNETES, PLATFORM, SLURM |" in nodes
