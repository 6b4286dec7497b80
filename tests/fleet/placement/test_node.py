import pytest

from gateway.errors import System
from gateway.fleet.beside import Beside
from gateway.fleet.catalogue import CATALOGUE, known_types
from gateway.fleet.gpu import GpuType, MigStrategy
from gateway.fleet.layouts import LayoutFile
from gateway.fleet.placement.node import CardFacts, card_facts
from gateway.fleet.unknown import Unknown
from tests.builders import a_node, a_record, a_slurm_node
from tests.fleets import a_machine, silence
from tests.gpu_labels import A100, T4, mixed, shared, single, whole
from tests.listed import a_gpu, a_slice

FILES = (LayoutFile(where="ConfigMap operator/layouts", layouts={}),)


def test_what_decides_a_layout_is_told_of_a_node():
    node = a_machine(a_node(labels=mixed(8)), beside=Beside(layouts=FILES))
    assert card_facts(node) == CardFacts(
        kind=CATALOGUE[A100], cards=8, strategy=MigStrategy.MIXED, files=FILES
    )


def test_a_node_without_a_label_of_the_strategy_has_none():
    assert card_facts(a_machine(a_node(labels=whole(8)))).strategy is MigStrategy.NONE


def test_cards_that_a_label_says_cannot_be_cut_have_no_profiles():
    labels = whole(8) | {"nvidia.com/mig.capable": "false"}
    assert card_facts(a_machine(a_node(labels=labels))).kind.mig_profiles == ()
    assert card_facts(a_machine(a_node(labels=whole(8, T4)))).kind.mig_profiles == ()


OWN = GpuType(name="own", memory_mib=None, products=("NVIDIA-X1",), slurm_types=(), mig_profiles=())
X1 = {"nvidia.com/gpu.product": "NVIDIA-X1"}
UNTOLD = {
    "a silent cluster": (a_machine(silence(System.KUBERNETES), a_record()), "KUBERNETES is silent"),
    "a node of Slurm alone": (a_machine(slurm=a_slurm_node()), "Kubernetes knows of no GPUs of gpu-01"),
    "no GPUs": (a_machine(a_node(labels={}, capacity={})), "Kubernetes knows of no GPUs of gpu-01"),
    "shares": (a_machine(a_node(labels=shared(8, 4))), "gpu-01 shares its cards"),
    "shares of slices": (
        a_machine(a_node(labels=mixed(8) | {"nvidia.com/mig-1g.10gb.replicas": "4"})),
        "gpu-01 shares its cards",
    ),
    "virtual GPUs": (a_machine(a_node(capacity={"volcano.sh/vgpu-number": 80})), "into virtual GPUs"),
    "cards that are listed": (
        a_machine(a_node(labels={}, capacity={}), beside=Beside(slices=(a_slice("gpu-01", [a_gpu(0)]),))),
        "gpu-01 offers its cards by ResourceSlices",
    ),
    "no number of cards": (a_machine(a_node(labels=single(5, "1g.10gb"))), "no label names a layout"),
    "no model": (a_machine(a_node(labels=whole() | X1)), "knows NVIDIA-X1"),
    "no strategy that is known": (
        a_machine(a_node(labels=whole() | {"nvidia.com/mig.strategy": "new"})),
        "mig.strategy",
    ),
}


@pytest.mark.parametrize(("node", "reason"), UNTOLD.values(), ids=UNTOLD)
def test_a_layout_cannot_be_judged_where_nothing_tells_what_the_cards_are(node, reason):
    told = card_facts(node)
    assert isinstance(told, Unknown)
    assert reason in told.reason


@pytest.mark.parametrize(
    ("labels", "types", "name"),
    [
        (whole() | X1, known_types([OWN]), "own"),
        (whole(8, T4) | {"nvidia.com/mig.capable": "true"}, CATALOGUE, T4),
    ],
    ids=["a type of the platform alone", "a label that contradicts the catalogue"],
)
def test_cards_that_may_be_cut_in_ways_that_nobody_told_are_left_open(labels, types, name):
    assert (
        card_facts(a_machine(a_node(labels=labels), types=types)).reason
        == f"how a {name} can be cut is not known"
    )
