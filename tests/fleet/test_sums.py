from gateway.errors import System
from gateway.fleet.sums import above, first_unknown, total
from gateway.fleet.unknown import undetermined
from tests.fleets import silence

SILENT = silence(System.SLURM)
ODD = undetermined(System.KUBERNETES, "no label")


def test_adds_up_what_is_known():
    assert total([("a", 1), ("b", None), ("c", 2)]) == 3
    assert total([]) == 0


def test_one_unknown_leaves_the_sum_unknown_and_is_named():
    assert total([("a", 1), ("b", ODD)]) == undetermined(System.KUBERNETES, "b: no label")


def test_names_three_of_many():
    reason = total((name, ODD) for name in "dbcae").reason

    assert reason == "a: no label; b: no label; c: no label; and 2 more"


def test_silence_comes_before_what_is_odd():
    assert total([("a", ODD), ("b", SILENT)]) == SILENT
    assert first_unknown(1, ODD, SILENT) == SILENT
    assert first_unknown(1, ODD, None) == ODD
    assert first_unknown(1, None) is None


def test_what_is_above_is_never_below_0():
    assert above(8, 3) == 5
    assert above(3, 8) == 0
    assert above(None, 3) is None
    assert above(8, None) is None
    assert above(8, SILENT) == SILENT
    assert above(ODD, SILENT) == SILENT
