"""What `make schema` runs."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("program", "file"), [("schema/__main__.py", "schema.graphql"), ("schema/fields.py", "docs/fields.md")]
)
def test_prints_the_committed_file(capsys, program, file):
    runpy.run_path(str(ROOT / program), run_name="__main__")

    assert capsys.readouterr().out == (ROOT / file).read_text(encoding="utf-8"), "run 'make schema'"
