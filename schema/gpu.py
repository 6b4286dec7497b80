"""GPU types, and the GPUs of a machine."""

from datetime import datetime
from decimal import Decimal

from gateway.errors import System
from gateway.fleet import gpu as records
from gateway.fleet.gpu import CardsBasis, MigConfigState, MigStrategy, SharingStrategy
from gateway.fleet.unit import GpuUnit
from resolvers import gpu as resolve
from schema.mig import MigProfile
from schema.provenance import MACHINES, derived, kubernetes, platform
from schema.view import answer, attribute, view

KUBERNETES, PLATFORM, SLURM = System.KUBERNETES, System.PLATFORM, System.SLURM


@view(records.Money)
class Money:
    """An exact amount of a currency."""

    amount: Decimal = attribute("In the currency's main unit.", derived("cost", PLATFORM, KUBERNETES, SLURM))
    currency: str = attribute("ISO 4217.", platform("gpu_price.currency"))


@view(records.Price)
class Price:
    """What a card-hour costs from a time on."""

    amount: Decimal = attribute("For one card and hour.", platform("gpu_price.amount"))
    currency: str = attribute("ISO 4217.", platform("gpu_price.currency"))
    effective_from: datetime = attribute("When it begins to hold.", platform("gpu_price.effective_from"))


@view(records.GpuType)
class GpuType:
    """A GPU model in the platform's vocabulary, and what the other systems call it."""

    name: str = attribute("The platform's own word, else the catalogue's.", derived("gpu-type", PLATFORM))
    memory_mib: int | None = attribute(
        "MiB of one card; null where no report was seen.", derived("gpu-type", PLATFORM), name="memoryMiB"
    )
    products: list[str] = attribute(
        "Values of the label nvidia.com/gpu.product that mean it.", derived("gpu-type", PLATFORM)
    )
    slurm_types: list[str] = attribute("Types in Slurm's GRES that mean it.", derived("gpu-type", PLATFORM))
    mig_profiles: list[MigProfile] = attribute("How its card can be cut; empty where it cannot.")
    price_per_hour: Money | None = answer(resolve.price_per_hour, needs=[PLATFORM])
    prices: list[Price] | None = answer(resolve.prices, needs=[PLATFORM])


@view(records.GpuClaim)
class GpuClaim:
    """What a workload asks of one resource."""

    resource: str = attribute(
        "The resource key, or gres/gpu for Slurm.", derived("requested", KUBERNETES, SLURM)
    )
    unit: GpuUnit | None = attribute(
        "What the count counts; null while nothing decides it.", derived("unit", KUBERNETES, SLURM)
    )
    count: int | None = attribute("How many, in that unit.", derived("requested", KUBERNETES, SLURM))


@view(records.GpuSharing)
class GpuSharing:
    """How many pods share a card, and by what."""

    strategy: SharingStrategy = attribute(
        "By what.", kubernetes("metadata.labels[nvidia.com/gpu.sharing-strategy]")
    )
    replicas: int = attribute("Shares of one card.", kubernetes("metadata.labels[nvidia.com/gpu.replicas]"))


@view(records.ExtendedResource)
class ExtendedResource:
    """free = allocatable - requested, never below 0; what is below is deficit."""

    name: str = attribute("The resource key.", kubernetes("status.capacity"))
    unit: GpuUnit | None = attribute("What the numbers count.", derived("unit", KUBERNETES))
    capacity: int | None = attribute("Healthy and unhealthy.", kubernetes("status.capacity[name]"))
    allocatable: int | None = attribute("Healthy.", kubernetes("status.allocatable[name]"))
    requested: int | None = attribute(
        "What bound pods that have not ended ask.", derived("requested", KUBERNETES)
    )
    free: int | None = attribute("What Kubernetes would still give.", derived("free", KUBERNETES))
    deficit: int | None = attribute("What is given and not there.", derived("free", KUBERNETES))


@view(records.NodeGpus)
class NodeGpus:
    """The GPUs of one machine."""

    type: GpuType | None = attribute(
        "The model; null with a reason in unknowns where no word tells it.", needs=MACHINES
    )
    product: str | None = attribute(
        "As its label says, suffixes too.", kubernetes("metadata.labels[nvidia.com/gpu.product]")
    )
    memory_mib: int | None = attribute(
        "MiB of one card, of one slice under the single strategy.",
        kubernetes("metadata.labels[nvidia.com/gpu.memory]"),
        name="memoryMiB",
    )
    driver_version: str | None = attribute(
        "The NVIDIA driver.", kubernetes("metadata.labels[nvidia.com/cuda.driver-version.full]")
    )
    cuda_version: str | None = attribute(
        "What the driver supports.", kubernetes("metadata.labels[nvidia.com/cuda.runtime-version.full]")
    )
    cards: int | None = attribute(
        "Physical cards; null with a reason in unknowns where no source can say.",
        derived("cards", KUBERNETES, SLURM),
    )
    cards_basis: CardsBasis | None = attribute(
        "Which rule told the cards.", derived("cards", KUBERNETES, SLURM)
    )
    whole_cards: int | None = attribute("Cards that are not cut.", derived("whole-cards", KUBERNETES, SLURM))
    partitioned_cards: int | None = attribute(
        "Cards that are cut into slices.", derived("whole-cards", KUBERNETES, SLURM)
    )
    sharing: GpuSharing | None = attribute(
        "How many pods share a card; null where no label says.", needs=[KUBERNETES]
    )
    resources: list[ExtendedResource] | None = attribute("What it offers, key by key.", needs=[KUBERNETES])
    mig_strategy: MigStrategy | None = attribute(
        "How the device plugin names slices.", kubernetes("metadata.labels[nvidia.com/mig.strategy]")
    )
    mig_config: str | None = attribute(
        "The layout that the MIG manager was told.", kubernetes("metadata.labels[nvidia.com/mig.config]")
    )
    mig_config_state: MigConfigState | None = attribute(
        "How its last change went; it may be old.", kubernetes("metadata.labels[nvidia.com/mig.config.state]")
    )
    labels_since: datetime | None = attribute(
        "When gpu-feature-discovery started; it labels again each minute while it runs.",
        kubernetes("metadata.labels[nvidia.com/gfd.timestamp]"),
    )
