"""What a node offers under a layout: what shows that it was reached."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.fleet.catalogue import nvidia_smi_name
from gateway.fleet.desired import MigLayout
from gateway.fleet.gpu import MigStrategy
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.placement.card import Cut
from gateway.fleet.placement.layout import Misfit, cuts_of
from gateway.fleet.placement.node import CardFacts
from gateway.fleet.sharing import GPU
from gateway.fleet.unknown import Maybe, Unknown

_PRODUCT = "nvidia.com/gpu.product"
_CUT = "-MIG-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a node has allocatable once it is cut as asked."""

    resources: Mapping[str, int]
    """By name, every GPU resource that is not 0."""
    profile: str | None
    """What nvidia.com/gpu counts the slices of, under the single strategy; None: whole cards."""

    @property
    def whole_cards(self) -> int:
        """Cards that are left whole."""
        return self.resources.get(GPU, 0) if self.profile is None else 0


def expected_resources(layout: MigLayout, facts: CardFacts) -> Offer | Misfit | Unknown:
    """What a node offers under a layout that it can have."""
    cuts = cuts_of(layout, facts)
    return _offer(cuts, facts.strategy) if isinstance(cuts, tuple) else cuts


def is_reached(offer: Offer, allocatable: Mapping[str, Maybe[int]], labels: Mapping[str, str]) -> bool:
    """Whether a node offers exactly this; no other slice, and no card more or less."""
    found = {name: count for name, count in allocatable.items() if _tells(name) and count != 0}
    product = labels.get(_PRODUCT, "")
    cut = nvidia_smi_name(product.rsplit(_CUT, 1)[1]) if _CUT in product else None
    return found == dict(offer.resources) and cut == offer.profile


def _offer(cuts: tuple[Cut, ...], strategy: MigStrategy) -> Offer:
    slices: Counter[str] = Counter()
    for cut in cuts:
        slices.update(cut)
    if strategy is MigStrategy.MIXED:
        named = {MIG_PREFIX + name.replace("+", "."): count for name, count in slices.items()}
        return Offer(resources=_not_zero(named | {GPU: sum(not cut for cut in cuts)}), profile=None)
    if strategy is MigStrategy.SINGLE and slices:
        return Offer(resources={GPU: slices.total()}, profile=next(iter(slices)))
    return Offer(resources=_not_zero({GPU: len(cuts)}), profile=None)


def _not_zero(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _tells(resource: str) -> bool:
    return resource == GPU or resource.startswith(MIG_PREFIX)
