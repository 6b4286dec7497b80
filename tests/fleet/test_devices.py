import pytest

from gateway.errors import System
from gateway.fleet.gpu import GpuSharing, SharingStrategy
from gateway.fleet.platform import Target
from gateway.fleet.unknown import Unknown
from tests.builders import a_node, a_record, a_slurm_node
from tests.fleets import a_machine, silence
from tests.gpu_labels import GPU, SHARED_GPU, shared, whole

PRODUCT = "nvidia.com/gpu.product"

TYPES = {
    "a product of the catalogue": (a_machine(a_node()), "H100-80GB"),
    "one with suffixes": (
        a_machine(a_node(labels=shared(8, 4) | {PRODUCT: "Tesla-T4-SHARED"}, capacity={GPU: 32})),
        "T4-16GB",
    ),
    "a word of Slurm": (a_machine(slurm=a_slurm_node(gres="gpu:h100:8")), "H100-80GB"),
}


@pytest.mark.parametrize(("node", "name"), TYPES.values(), ids=TYPES.keys())
def test_names_the_type(node, name):
    assert node.gpus.type.name == name


UNTYPED = {
    "no label": (a_machine(a_node(labels={})), "no label nvidia.com/gpu.product"),
    "a product that nobody knows": (
        a_machine(a_node(labels=whole() | {PRODUCT: "NVIDIA-X1"})),
        "neither the platform nor the catalogue knows NVIDIA-X1",
    ),
    "one of several models": (
        a_machine(a_node(labels=whole(1), capacity={GPU: 4})),
        "one of several models",
    ),
    "two vendors": (
        a_machine(a_node(labels=whole(1), capacity={GPU: 1, "amd.com/gpu": 4})),
        "one of several models",
    ),
    "a word that two models share": (a_machine(slurm=a_slurm_node(gres="gpu:a100:8")), "does not tell one"),
    "no word": (a_machine(slurm=a_slurm_node(gres="gpu:8")), "does not tell one model"),
    "two words": (a_machine(slurm=a_slurm_node(gres="gpu:h100:4,gpu:t4:4")), "names 2 types: h100, t4"),
}


@pytest.mark.parametrize(("node", "reason"), UNTYPED.values(), ids=UNTYPED.keys())
def test_leaves_the_type_unknown_where_no_word_tells_it(node, reason):
    assert reason in node.gpus.type.reason


def sharing(labels, capacity=None):
    return a_machine(a_node(labels=labels, capacity=capacity)).gpus.sharing


def test_tells_sharing_in_the_words_of_the_labels():
    assert sharing(whole()) == GpuSharing(strategy=SharingStrategy.NONE, replicas=1)
    assert sharing(shared(8, 4)) == GpuSharing(strategy=SharingStrategy.TIME_SLICING, replicas=4)
    mps = shared(8, 4) | {"nvidia.com/gpu.sharing-strategy": "mps"}
    assert sharing(mps) == GpuSharing(strategy=SharingStrategy.MPS, replicas=4)


def test_no_word_of_sharing_is_none():
    assert sharing({PRODUCT: "Tesla-T4"}) is None
    assert sharing(shared(8, 0)) is None


OLD = {key: value for key, value in shared(8, 4).items() if not key.endswith("strategy")}
UNSHARED = {
    "unreadable replicas": (whole() | {"nvidia.com/gpu.replicas": "some"}, None, "'some'"),
    "an unreadable strategy": (whole() | {"nvidia.com/gpu.sharing-strategy": "luck"}, None, "'luck'"),
    "shares without replicas": ({PRODUCT: "Tesla-T4"}, {GPU: 0, SHARED_GPU: 32}, "into how many shares"),
    "replicas without a strategy": (OLD, None, "no label nvidia.com/gpu.sharing-strategy"),
}


@pytest.mark.parametrize(("labels", "capacity", "reason"), UNSHARED.values(), ids=UNSHARED.keys())
def test_does_not_guess_how_cards_are_shared(labels, capacity, reason):
    assert reason in sharing(labels, capacity).reason


def test_one_replica_needs_no_word_for_the_strategy():
    assert sharing(OLD | {"nvidia.com/gpu.replicas": "1"}).strategy is SharingStrategy.NONE


SILENT_SLURM, SILENT_PLATFORM = silence(System.SLURM), silence(System.PLATFORM)
DOWN = a_slurm_node(states=["DOWN"])
MEANT_FOR_SLURM = a_record(target=Target.SLURM)

JUDGES = {
    "Slurm, where it is silent": (MEANT_FOR_SLURM, SILENT_SLURM, SILENT_SLURM),
    "Kubernetes, where Slurm does not know it": (MEANT_FOR_SLURM, None, 8),
    "Kubernetes, while Slurm is silent": (a_record(), SILENT_SLURM, 8),
    "Kubernetes, while records are silent": (SILENT_PLATFORM, None, 8),
    "both, while records are silent and they agree": (SILENT_PLATFORM, a_slurm_node(), 8),
    "nobody, while records are silent and they do not": (SILENT_PLATFORM, DOWN, SILENT_PLATFORM),
    "Kubernetes, while both others are silent": (SILENT_PLATFORM, SILENT_SLURM, 8),
}


@pytest.mark.parametrize(("record", "slurm", "expected"), JUDGES.values(), ids=JUDGES.keys())
def test_lets_the_system_judge_that_the_machine_serves(record, slurm, expected):
    health = a_machine(a_node(), record, slurm).health

    assert (health if isinstance(health, Unknown) else health.usable_cards) == expected
