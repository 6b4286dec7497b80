import pytest

from gateway.errors import System
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.join import join
from gateway.fleet.parts import Parts
from gateway.fleet.unknown import UnknownCode
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node
from tests.fleets import a_machine, silence
from tests.gpu_labels import GPU

KUBERNETES, PLATFORM, SLURM = System.KUBERNETES, System.PLATFORM, System.SLURM
CPU_ONLY = a_node(labels={}, capacity={})

KNOWN = {
    "one system": (a_machine(a_node()), (KUBERNETES,)),
    "all of them": (a_machine(a_node(), a_record(), a_slurm_node()), (KUBERNETES, PLATFORM, SLURM)),
    "Slurm alone": (a_machine(slurm=a_slurm_node()), (SLURM,)),
    "a record alone": (a_machine(record=a_record()), (PLATFORM,)),
    "a silent system says nothing": (a_machine(silence(KUBERNETES), a_record()), (PLATFORM,)),
}


@pytest.mark.parametrize(("node", "systems"), KNOWN.values(), ids=KNOWN.keys())
def test_names_the_systems_that_know_a_machine(node, systems):
    assert node.known_to == systems


def test_a_machine_that_nobody_knows_is_none():
    silent = silence(KUBERNETES)
    nobody = Parts(
        cluster="fleet", name="x", kubernetes=silent, record=None, slurm=None, pods=silent, jobs=()
    )

    assert join(nobody, {}) is None


GPU_NODES = {
    "a GPU key, at zero too": (a_machine(a_node(labels={}, capacity={GPU: 0})), True),
    "a label": (a_machine(a_node(capacity={})), True),
    "a detected device": (
        a_machine(a_node(labels={"feature.node.kubernetes.io/pci-10de.present": "true"}, capacity={})),
        True,
    ),
    "Slurm's GRES": (a_machine(CPU_ONLY, slurm=a_slurm_node()), True),
    "a record": (a_machine(CPU_ONLY, a_record()), True),
    "none of it": (a_machine(CPU_ONLY, slurm=a_slurm_node(gres="")), False),
    "a Slurm node without GRES": (a_machine(slurm=a_slurm_node(gres="")), False),
}


@pytest.mark.parametrize(("node", "expected"), GPU_NODES.values(), ids=GPU_NODES.keys())
def test_knows_a_gpu_node_by_any_sign_of_one(node, expected):
    assert node.is_gpu_node is expected


@pytest.mark.parametrize(
    "node", [a_machine(CPU_ONLY), a_machine(slurm=a_slurm_node(gres="")), a_machine(record=a_record())]
)
def test_a_machine_without_gpus_has_none_and_no_reason(node):
    assert (node.gpus, node.mig_slices, node.health) == (None, None, None)


def test_a_machine_that_should_have_gpus_and_shows_none_is_broken_and_not_a_cpu_node():
    node = a_machine(CPU_ONLY, a_record(claims=8))

    assert node.gpus.cards.code is UnknownCode.UNDETERMINED
    assert (node.health.usable_cards, node.health.healthy) == (0, False)


def test_labels_count_where_slurm_knows_the_machine_too():
    node = a_machine(a_node(), slurm=a_slurm_node(gres="gpu:h100:4"))

    assert (node.gpus.cards, node.gpus.cards_basis) == (8, CardsBasis.GPU_COUNT_LABEL)


def test_a_machine_that_only_slurm_knows_has_its_gres_and_nothing_that_kubernetes_says():
    gpus = a_machine(slurm=a_slurm_node(gres="gpu:h100:8")).gpus

    assert (gpus.cards, gpus.whole_cards, gpus.partitioned_cards) == (8, 8, 0)
    assert gpus.type.name == "H100-80GB"
    assert (gpus.product, gpus.resources, gpus.sharing) == (None, None, None)


def test_silence_of_the_system_that_may_know_leaves_the_gpus_unknown():
    silent = silence(KUBERNETES)

    for node in (a_machine(silent, a_record()), a_machine(silent, slurm=a_slurm_node())):
        assert node.gpus == node.mig_slices == node.health == silent


BUSY = {
    "nobody": ((), (), False),
    "a pod that holds GPUs": ((a_pod(),), (), True),
    "a pod that does not": ((a_pod(asks={}),), (), False),
    "a pod that waits for its devices": ((a_pod(phase="Pending"),), (), True),
    "a pod that ended": ((a_pod(phase="Failed"),), (), False),
    "a pod that holds slices": ((a_pod(asks={"nvidia.com/mig-1g.10gb": 1}),), (), True),
    "a job": ((), (a_job(),), True),
    "a job that completes": ((), (a_job(state="CANCELLED+COMPLETING"),), True),
    "a suspended job": ((), (a_job(state="SUSPENDED"),), True),
    "a job that waits": ((), (a_job(state="PENDING", cards={}),), False),
    "a job that ended": ((), (a_job(state="COMPLETED"),), False),
    "silent pods beside a job": (silence(KUBERNETES), (a_job(),), True),
    "silent jobs beside a pod": ((a_pod(),), silence(SLURM), True),
    "silent pods": (silence(KUBERNETES), (), silence(KUBERNETES)),
    "silent jobs": ((), silence(SLURM), silence(SLURM)),
}


@pytest.mark.parametrize(("pods", "jobs", "busy"), BUSY.values(), ids=BUSY.keys())
def test_is_busy_with_any_work_whichever_scheduler_put_it_there(pods, jobs, busy):
    assert a_machine(a_node(), slurm=a_slurm_node(), pods=pods, jobs=jobs).busy == busy
