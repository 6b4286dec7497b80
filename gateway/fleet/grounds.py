"""The words for why cards are counted, and the listing that each rests on."""

from collections.abc import Mapping

from gateway.errors import System
from gateway.fleet.device_rows import SLICES
from gateway.fleet.figure import Ground
from gateway.fleet.gpu import CardsBasis, NodeGpus
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.node import KubernetesNode, NodeHealth
from gateway.fleet.platform import Workspace
from gateway.fleet.slurm import SlurmNode


def _by_kubernetes(label: str) -> Ground:
    return Ground(label=label, system=System.KUBERNETES, kind="nodes")


def _by_slurm(label: str) -> Ground:
    return Ground(label=label, system=System.SLURM, kind="nodes")


CUT = _by_kubernetes("cut into slices")
HELD_BY_PODS = Ground(label="held by pods", system=System.KUBERNETES, kind="pods")
HELD_BY_JOBS = Ground(label="held by Slurm jobs", system=System.SLURM, kind="jobs")
GIVEN_TO_JOBS = Ground(label="given to Slurm jobs", system=System.SLURM, kind="jobs")
TAKEN_BY_JOBS = Ground(
    label="given to Slurm jobs where new work may be placed", system=System.SLURM, kind="jobs"
)
UNSEEN = Ground(label="machines that cannot be seen", system=System.KUBERNETES)
BEYOND = Ground(label="given beyond what is healthy: the deficit", system=System.PLATFORM)
LEFT = Ground(label="healthy beyond what is given", system=System.PLATFORM)
LEFT_BY_SLURM = Ground(label=LEFT.label, system=System.SLURM)
_CORDONED = _by_kubernetes("cordoned")
_LEAVING = _by_kubernetes("leaving the cluster")
_CLOSED_BY_SLURM = _by_slurm("drained by Slurm or leaving it")
_OTHERWISE = _by_kubernetes("not usable")

_BASES: Mapping[CardsBasis, Ground] = {
    CardsBasis.RESOURCE_SLICES: Ground(
        label="counted by ResourceSlices", system=System.KUBERNETES, kind=SLICES
    ),
    CardsBasis.GPU_COUNT_LABEL: _by_kubernetes("counted by the label nvidia.com/gpu.count"),
    CardsBasis.CAPACITY: _by_kubernetes("counted by capacity"),
    CardsBasis.MIG_CONFIG: _by_kubernetes("counted by the MIG layout"),
    CardsBasis.VGPU_CORES: _by_kubernetes("counted by vGPU cores"),
    CardsBasis.HAMI_ANNOTATION: _by_kubernetes("counted by HAMi's annotation"),
    CardsBasis.PARTITION_LABELS: _by_kubernetes("counted by partition labels"),
    CardsBasis.SLURM_GRES: _by_slurm("counted by Slurm's GRES"),
    CardsBasis.OTHER: _by_kubernetes("counted otherwise"),
}
_LOSSES: Mapping[HealthCode, Ground] = {
    HealthCode.NOT_READY: _by_kubernetes("not Ready"),
    HealthCode.NO_CAPACITY: _by_kubernetes("expected, and the machine offers none"),
    HealthCode.CARDS_LOST: _by_kubernetes("lost: not allocatable"),
    HealthCode.DEVICE_PLUGIN_MISSING: _by_kubernetes("the device plugin does not serve"),
    HealthCode.DEVICE_PLUGIN_CRASHING: _by_kubernetes("the device plugin crashes"),
    HealthCode.DRIVER_UPGRADE: _by_kubernetes("driver upgrade"),
    HealthCode.MIG_CHANGE: _by_kubernetes("MIG layout being changed"),
    HealthCode.MIG_INVALID: _by_kubernetes("MIG layout is not valid"),
    HealthCode.SLURM_DOWN: _by_slurm("down in Slurm"),
}


def basis_of(gpus: NodeGpus) -> Ground:
    """By which rule a machine's cards are counted."""
    return _BASES[gpus.cards_basis if isinstance(gpus.cards_basis, CardsBasis) else CardsBasis.OTHER]


def loss_of(health: NodeHealth) -> Ground:
    """Why cards of a machine are not usable: its first reason."""
    return _LOSSES.get(health.reasons[0].code, _OTHERWISE) if health.reasons else _OTHERWISE


def closed_by(part: KubernetesNode | SlurmNode) -> Ground:
    """Why a scheduler may not place new work on its machine."""
    if isinstance(part, SlurmNode):
        return _CLOSED_BY_SLURM
    return _CORDONED if part.cordoned else _LEAVING


def given_to(workspace: Workspace) -> Ground:
    """What the platform gave to one workspace."""
    label = f"given to workspace {workspace.tenant_name}/{workspace.name}"
    return Ground(label=label, system=System.PLATFORM, kind="records")
