"""docs/alerts.md names every kind of alert, and says which are not raised yet."""

import re
from pathlib import Path

from gateway.fleet.alert import AlertKind

PAGE = (Path(__file__).parents[1] / "docs" / "alerts.md").read_text(encoding="utf-8")


def test_the_page_has_each_kind_once():
    told, _, missing = PAGE.partition("## Not raised yet")

    raised = re.findall(r"^## ([A-Z_]+)$", told, re.MULTILINE)
    later = re.findall(r"[A-Z]+(?:_[A-Z]+)+", missing)

    assert sorted([*raised, *later, "OTHER"]) == sorted(kind.value for kind in AlertKind)
