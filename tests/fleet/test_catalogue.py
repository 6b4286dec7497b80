import pytest

from gateway.fleet.catalogue import CATALOGUE, known_types, profile, type_of_product, type_of_slurm
from gateway.fleet.gpu import GpuType
from gateway.fleet.mig import MigProfile

H100 = CATALOGUE["H100-80GB"]


def a_type(name, products=(), slurm_types=(), memory_mib=None):
    return GpuType(
        name=name, memory_mib=memory_mib, products=products, slurm_types=slurm_types, mig_profiles=()
    )


@pytest.mark.parametrize(
    ("product", "name"),
    [
        ("NVIDIA-H100-80GB-HBM3", "H100-80GB"),
        ("NVIDIA-H100-80GB-HBM3-SHARED", "H100-80GB"),
        ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "H100-80GB"),
        ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb.me-SHARED", "H100-80GB"),
        ("NVIDIA-A100-SXM4-40GB-MIG-INVALID", "A100-40GB"),
        ("NVIDIA-H200-NVL", "H200-141GB"),
        ("NVIDIA-GH200-480GB", "GH200-96GB"),
        ("NVIDIA-H20", "H20-96GB"),
        ("Tesla-T4-SHARED", "T4-16GB"),
    ],
)
def test_a_product_leads_to_its_type_whatever_was_added_to_it(product, name):
    assert type_of_product(CATALOGUE, product).name == name


@pytest.mark.parametrize("product", ["NVIDIA-H100", "NVIDIA-L40X", "", "NVIDIA-L40-", "nvidia-l40"])
def test_a_product_that_is_only_alike_leads_nowhere(product):
    assert type_of_product(CATALOGUE, product) is None


def test_no_two_shipped_types_claim_one_product():
    products = [product for kind in CATALOGUE.values() for product in kind.products]
    assert sorted(products) == sorted(set(products))


@pytest.mark.parametrize(
    ("word", "name"),
    [("h100", "H100-80GB"), ("H100", "H100-80GB"), ("tesla_t4", "T4-16GB"), ("l40s", "L40S-48GB")],
)
def test_a_slurm_type_leads_to_its_type_in_any_case(word, name):
    assert type_of_slurm(CATALOGUE, word).name == name


@pytest.mark.parametrize("word", ["a100", "v100", "gpu", ""])
def test_a_slurm_type_that_means_several_models_or_none_decides_nothing(word):
    assert type_of_slurm(CATALOGUE, word) is None


def test_the_platform_decides_what_a_word_means():
    types = known_types([a_type("A100-80GB", ("NVIDIA-A100-SXM4-80GB",), ("a100",), 81920)])
    assert type_of_slurm(types, "a100").name == "A100-80GB"
    assert "a100" not in types["A100-40GB"].slurm_types


def test_a_type_of_the_platform_takes_its_products_from_the_catalogue_and_keeps_their_profiles():
    types = known_types([a_type("big", ("NVIDIA-H100-80GB-HBM3",))])
    assert type_of_product(types, "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb").name == "big"
    assert types["big"].mig_profiles == H100.mig_profiles
    assert types["H100-80GB"].products == ("NVIDIA-H100-PCIe",)


def test_a_type_of_the_platform_replaces_the_shipped_one_of_its_name():
    types = known_types([a_type("T4-16GB", ("Our-T4",), memory_mib=15109)])
    assert (types["T4-16GB"].products, types["T4-16GB"].memory_mib) == (("Our-T4",), 15109)
    assert type_of_product(types, "Tesla-T4") is None


def test_two_types_of_the_platform_that_claim_one_product_decide_nothing():
    types = known_types([a_type("one", ("Same",)), a_type("two", ("Same",))])
    assert type_of_product(types, "Same") is None


def test_one_name_is_another_profile_on_another_model():
    assert [
        (profile(CATALOGUE[name], "1g.10gb").max_per_card, profile(CATALOGUE[name], "1g.10gb").memory_mib)
        for name in ("A100-40GB", "A100-80GB", "H100-80GB")
    ] == [(4, 9856), (7, 9856), (7, 9984)]


@pytest.mark.parametrize(
    ("spelling", "name", "media"),
    [
        ("1g.10gb.me", "1g.10gb+me", True),
        ("1g.10gb+me", "1g.10gb+me", True),
        ("1g.24gb.me.all", "1g.24gb+me.all", True),
        ("1g.24gb.gfx", "1g.24gb+gfx", False),
        ("1g.24gb-me", "1g.24gb-me", False),
    ],
)
def test_a_profile_is_found_by_the_spelling_of_labels_too(spelling, name, media):
    found = profile(CATALOGUE["RTX-PRO-6000-96GB"], spelling)
    assert (found.name, found.media_extensions, found.compute_slices) == (name, media, 1)


def test_an_unknown_profile_says_what_its_name_says_and_no_more():
    assert profile(H100, "3g.47gb") == MigProfile(
        name="3g.47gb", compute_slices=3, memory_mib=None, max_per_card=None, media_extensions=False
    )
    assert profile(None, "1c.3g.20gb").compute_slices is None
    assert profile(None, "nonsense").compute_slices is None


def test_the_memory_of_a_profile_is_never_read_off_its_name():
    assert profile(H100, "1g.10gb").memory_mib == 9984
    assert profile(CATALOGUE["H200-141GB"], "3g.71gb").memory_mib is None


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.name)
def test_a_card_holds_as_many_slices_of_a_profile_as_its_compute_allows(kind):
    for cut in kind.mig_profiles:
        most_compute = max(other.compute_slices for other in kind.mig_profiles)
        if cut.max_per_card is None:
            assert cut.placement is None, cut.name
            continue
        assert 1 <= cut.max_per_card * cut.compute_slices <= most_compute, cut.name


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.name)
def test_every_profile_of_a_board_whose_listing_was_seen_lies_somewhere_on_it(kind):
    seen = {cut.placement.units for cut in kind.mig_profiles if cut.placement}
    assert len(seen) <= 1
    for cut in kind.mig_profiles if seen else ():
        assert all(start + cut.placement.size <= cut.placement.units for start in cut.placement.starts)


def test_only_the_boards_whose_listing_was_never_seen_have_profiles_without_a_place():
    placeless = {kind.name for kind in CATALOGUE.values() for cut in kind.mig_profiles if not cut.placement}
    assert placeless == {"RTX-PRO-5000-48GB"}
