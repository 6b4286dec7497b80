from gateway.errors import System
from gateway.fleet.figure import UNTOLD, Ground, Piece, added, difference, summed
from gateway.fleet.unknown import undetermined
from tests.builders import a_node
from tests.fleets import a_machine, silence

LABEL = Ground(label="by label", system=System.KUBERNETES, kind="nodes")
GRES = Ground(label="by GRES", system=System.SLURM, kind="nodes")
LOST = Ground(label="a loss", system=System.KUBERNETES, kind="nodes")
REST = Ground(label="the rest", system=System.PLATFORM)
ODD, SILENT = undetermined(System.KUBERNETES, "no label"), silence(System.SLURM)


def pieces(*told):
    return [Piece(ground, cards, a_machine(a_node(name))) for ground, cards, name in told]


def figure(*told):
    return added("a sum", summed(pieces(*told)))


def terms(drawn):
    return [(term.label, term.value) for term in drawn.terms]


def names(term):
    return [subject.name for subject in term.subjects]


def test_pieces_of_one_ground_are_one_term():
    gres, label, lost = summed(
        pieces((LABEL, 8, "a"), (LOST, -1, "a"), (GRES, 4, "c"), (LABEL, 2, "b"), (LOST, -1, "b"))
    )

    assert (gres.label, gres.value, names(gres)) == ("by GRES", 4, ["c"])
    assert (label.label, label.value, names(label)) == ("by label", 10, ["a", "b"])
    assert (lost.label, lost.value, names(lost)) == ("a loss", -2, ["a", "b"])
    assert (label.system, gres.system) == (System.KUBERNETES, System.SLURM)


def test_a_number_is_the_sum_of_its_terms():
    drawn = figure((LABEL, 8, "a"), (LABEL, 8, "b"), (LOST, -3, "b"))

    assert (drawn.value, drawn.at_least) == (13, None)
    assert figure().value == 0


def test_what_is_not_known_leaves_the_number_unknown_and_the_rest_of_it_sure():
    drawn = figure((LABEL, 8, "a"), (UNTOLD, ODD, "c"), (UNTOLD, ODD, "b"))

    assert drawn.value == undetermined(System.KUBERNETES, "b: no label; c: no label")
    assert drawn.at_least == 8
    assert terms(drawn) == [("by label", 8), ("not known", None)]
    assert drawn.terms[1].reasons == (ODD, ODD)


def test_silence_is_the_reason_before_what_is_odd():
    drawn = figure((UNTOLD, ODD, "a"), (UNTOLD, SILENT, "b"))

    assert drawn.value == SILENT
    assert drawn.terms[0].system is System.SLURM


def test_a_difference_is_the_terms_of_both_and_what_is_missing_to_0():
    healthy, given = figure((LABEL, 8, "a"), (LOST, -3, "a")), figure((GRES, 4, "b"))

    left = difference("left", healthy, given, REST)
    owed = difference("owed", given, healthy, REST)

    assert (left.value, terms(left)) == (1, [("by label", 8), ("a loss", -3), ("by GRES", -4)])
    assert owed.value == 0
    assert terms(owed) == [("by GRES", 4), ("by label", -8), ("a loss", 3), ("the rest", 1)]


def test_a_difference_has_a_bound_only_where_what_is_taken_away_is_known():
    known, unsure = figure((LABEL, 8, "a")), figure((LABEL, 9, "b"), (UNTOLD, ODD, "c"))

    more = difference("left", unsure, known, REST)
    less = difference("left", known, unsure, REST)

    assert (more.at_least, less.at_least) == (1, None)
    assert more.value == less.value == undetermined(System.KUBERNETES, "c: no label")


def test_a_bound_is_never_below_0():
    unsure, known = figure((LABEL, 2, "b"), (UNTOLD, ODD, "c")), figure((GRES, 5, "a"))

    assert difference("left", unsure, known, REST).at_least == 0
