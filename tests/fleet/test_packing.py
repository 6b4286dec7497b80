import pytest

from gateway.fleet.catalogue import CATALOGUE, profile
from gateway.fleet.packing import least_cards
from tests.gpu_labels import A100

LAYOUTS = [
    (A100, {}, 0),
    (A100, {"1g.10gb": 7}, 1),
    (A100, {"1g.10gb": 8}, 2),
    (A100, {"1g.10gb": 56}, 8),
    (A100, {"7g.80gb": 2}, 2),
    (A100, {"3g.40gb": 2}, 1),
    (A100, {"3g.40gb": 2, "1g.10gb": 1}, 2),  # seven sevenths, and no memory left
    (A100, {"4g.40gb": 1, "2g.20gb": 1, "1g.10gb": 1}, 1),
    (A100, {"4g.40gb": 2}, 2),
    (A100, {"1g.20gb": 4}, 1),
    (A100, {"1g.20gb": 5}, 2),
    (A100, {"1g.10gb+me": 2}, 2),  # one set of media engines a card
    (A100, {"2g.20gb": 3, "1g.10gb": 1}, 1),
    (A100, {"2g.20gb": 4}, 2),
    ("A100-40GB", {"1g.5gb": 2, "3g.20gb": 1, "7g.40gb": 1}, 2),
    ("H100-NVL-94GB", {"1g.12gb": 2, "2g.24gb": 1, "3g.47gb": 1}, 1),
    ("A30-24GB", {"1g.6gb": 4}, 1),
    ("A30-24GB", {"2g.12gb": 4, "4g.24gb": 2}, 4),
    ("A30-24GB", {"2g.12gb": 1, "1g.6gb": 3}, 2),
]


@pytest.mark.parametrize(("kind", "slices", "cards"), LAYOUTS)
def test_counts_the_least_cards_that_slices_need(kind, slices, cards):
    gpu_type = CATALOGUE[kind]
    counts = {profile(gpu_type, name): count for name, count in slices.items()}

    assert least_cards(counts, gpu_type) == cards


def test_bounds_by_what_the_names_say_where_the_model_is_not_known():
    assert least_cards({profile(None, "3g.40gb"): 5}, None) == 3
    assert least_cards({profile(None, "1g.5gb"): 8}, None) == 2


def test_a_profile_that_says_nothing_leaves_it_unknown():
    unknown = least_cards({profile(None, "half"): 2}, None)

    assert unknown.reason == "how much of a card a half takes is not known"
