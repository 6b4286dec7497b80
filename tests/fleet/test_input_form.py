from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.fleet.input_form import input_form
from gateway.fleet.platform import Target


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("fan is loud", "fan is loud"),
        (Target.SLURM, "SLURM"),
        (True, "true"),
        (0, "0"),
        (Decimal("2.50"), '"2.5"'),
        ([], "[]"),
        (['a "b"', "ü"], '["a \\"b\\"", "ü"]'),
        ({"amount": Decimal(3), "effectiveFrom": None}, '{amount: "3"}'),
        ({"since": datetime(2026, 1, 2, tzinfo=UTC)}, '{since: "2026-01-02T00:00:00Z"}'),
        (MigLayout(config="all-disabled"), '{config: "all-disabled"}'),
        (
            MigLayout(
                cards=(
                    CardLayout(devices=None, profiles=(ProfileCount(profile="1g.10gb+me", count=1),)),
                    CardLayout(devices=(3,), profiles=()),
                )
            ),
            '{cards: [{profiles: [{profile: "1g.10gb+me", count: 1}]}, {devices: [3], profiles: []}]}',
        ),
    ],
)
def test_a_value_is_written_as_an_input_takes_it(value, text):
    assert input_form(value) == text


def test_a_layout_that_was_stored_reads_like_the_one_that_was_asked():
    stored = {"cards": [{"devices": None, "profiles": [{"profile": "1g.10gb", "count": 7}]}]}
    asked = MigLayout(cards=(CardLayout(devices=None, profiles=(ProfileCount(profile="1g.10gb", count=7),)),))
    assert input_form(stored) == input_form(asked)
