"""What each system says of one machine, before it is joined."""

from dataclasses import dataclass

from gateway.fleet.beside import NOTHING_BESIDE, Beside
from gateway.fleet.node import KubernetesNode
from gateway.fleet.platform import NodeRecord
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.unknown import Maybe, Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What each system says of one machine."""

    cluster: str
    name: str
    kubernetes: Maybe[KubernetesNode]
    record: Maybe[NodeRecord]
    slurm: Maybe[SlurmNode]
    pods: tuple[Pod, ...] | Unknown
    jobs: tuple[SlurmJob, ...] | Unknown
    beside: Beside = NOTHING_BESIDE
