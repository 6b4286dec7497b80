"""The machines of the demo, and what the device plugin advertises for each of them."""

from dataclasses import dataclass, field

GPU = "nvidia.com/gpu"
SHARED_GPU = "nvidia.com/gpu.shared"
BATCH_TAINT = {"key": "example.com/slurm", "value": "true", "effect": "NoSchedule"}
"""What keeps a machine for Slurm."""
NOTEBOOKS_TAINT = {"key": "example.com/notebooks", "value": "interactive", "effect": "NoSchedule"}
"""What keeps a machine for notebooks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A GPU model in the words of gpu-feature-discovery."""

    product: str
    memory_mib: int
    family: str
    compute: str
    host: str
    cpus: int
    memory_gib: int


H100 = Model(
    product="NVIDIA-H100-80GB-HBM3",
    memory_mib=81559,
    family="hopper",
    compute="9.0",
    host="DGXH100",
    cpus=224,
    memory_gib=2048,
)
H200 = Model(
    product="NVIDIA-H200",
    memory_mib=143771,
    family="hopper",
    compute="9.0",
    host="DGXH200",
    cpus=224,
    memory_gib=2048,
)
A100 = Model(
    product="NVIDIA-A100-SXM4-80GB",
    memory_mib=81920,
    family="ampere",
    compute="8.0",
    host="DGXA100-920-23687-2530-000",
    cpus=256,
    memory_gib=2048,
)
T4 = Model(
    product="Tesla-T4",
    memory_mib=15360,
    family="turing",
    compute="7.5",
    host="PowerEdge-R740",
    cpus=64,
    memory_gib=384,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mig:
    """How the cards of a machine are cut."""

    config: str
    """The label nvidia.com/mig.config."""
    strategy: str = "mixed"
    whole: int = 0
    """Cards that are not cut."""
    slices: dict[str, int] = field(default_factory=dict)
    """Slices of each profile on the whole machine."""
    state: str = "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One node: its hardware, and what is the matter with it."""

    name: str
    model: Model | None = None
    cards: int = 0
    mig: Mig | None = None
    replicas: int = 1
    """Shares of each card by time-slicing."""
    renamed: bool = False
    """Whether shares are advertised as nvidia.com/gpu.shared."""
    lost: int = 0
    """Cards that the device plugin calls unhealthy."""
    plugin_dead: bool = False
    """Whether its device plugin crashes, again and again."""
    ready: bool = True
    cordoned_by: str = ""
    """The field manager that cordoned it."""
    overwritten: dict[str, str] = field(default_factory=dict)
    """Labels that somebody wrote over those of the operator."""
    batch: bool = False
    """Whether it is Slurm's, and tainted for everybody else."""
    notebooks: bool = False
    """Whether it is kept for notebooks, by a taint too."""

    @property
    def capacity(self) -> dict[str, int]:
        """The devices that it advertises, sick ones too."""
        if self.model is None:
            return {}
        advertised = _advertised(self)
        return dict.fromkeys(advertised, 0) if self.plugin_dead or self.changing else advertised

    @property
    def allocatable(self) -> dict[str, int]:
        """The devices that it offers."""
        return {name: max(0, count - self.lost) for name, count in self.capacity.items()}

    @property
    def changing(self) -> bool:
        """Whether its MIG layout is being changed: the plugin is paused for it."""
        return self.mig is not None and self.mig.state == "pending"

    @property
    def open(self) -> bool:
        """Whether a scheduler of Kubernetes may place work on it."""
        return self.ready and not self.cordoned_by and not self.batch


def _advertised(machine: Machine) -> dict[str, int]:
    if machine.mig is None:
        shares = machine.cards * machine.replicas
        return {GPU: 0, SHARED_GPU: shares} if machine.renamed else {GPU: shares}
    if machine.mig.strategy == "single":
        return {GPU: sum(machine.mig.slices.values()) or machine.mig.whole}
    slices = {f"nvidia.com/mig-{profile}": count for profile, count in machine.mig.slices.items()}
    return {GPU: machine.mig.whole, **slices}
