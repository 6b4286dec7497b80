"""MIG profiles: the ways to cut a card."""

from gateway.errors import System
from gateway.fleet import mig as records
from schema.provenance import derived
from schema.view import attribute, view

KUBERNETES, PLATFORM = System.KUBERNETES, System.PLATFORM


@view(records.MigProfile)
class MigProfile:
    """A way to cut a card."""

    name: str = attribute("As nvidia-smi writes it.", derived("mig-profile", KUBERNETES, PLATFORM))
    compute_slices: int | None = attribute(
        "Sevenths of a card (quarters on small boards).", derived("mig-profile", KUBERNETES, PLATFORM)
    )
    memory_mib: int | None = attribute(
        "MiB of a slice as listed by a real card; null where none was seen.",
        derived("mig-profile", KUBERNETES, PLATFORM),
        name="memoryMiB",
    )
    max_per_card: int | None = attribute(
        "How many fit on one card alone.", derived("mig-profile", KUBERNETES, PLATFORM)
    )
    media_extensions: bool = attribute(
        "Whether it has the card's media engines.", derived("mig-profile", KUBERNETES, PLATFORM)
    )
