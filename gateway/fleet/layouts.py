"""MIG layouts by name: how the MIG manager cuts cards, and how many cards so many slices then are."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.catalogue import profile as profile_named
from gateway.fleet.gpu import GpuLabels, GpuType, MigConfigState
from gateway.fleet.mig import MigProfile
from gateway.fleet.unknown import Maybe, Unknown, undetermined

_SHIPPED = "all-"
"""What the layouts that come with the MIG manager are called: all-1g.10gb."""
_WHOLE = "all-disabled"
"""What they call the layout of cards without MIG."""
_BOARDS: Mapping[str, frozenset[str]] = {
    "7g.40gb": frozenset({"20B0", "20B1", "20F1", "20F6"}),
    "7g.80gb": frozenset({"20B2", "20B5", "20F3", "20F5", "2330", "2331", "2322", "2324"}),
    "7g.94gb": frozenset({"2321", "233A"}),
    "7g.96gb": frozenset({"2342", "233D", "20B6", "2329"}),
    "7g.141gb": frozenset({"2335", "233B"}),
    "7g.144gb": frozenset({"2348"}),
    "7g.180gb": frozenset({"2901"}),
    "7g.186gb": frozenset({"2941"}),
    "7g.269gb": frozenset({"3182"}),
    "7g.278gb": frozenset({"31C2"}),
    "4g.24gb": frozenset({"20B7"}),
    "4g.96gb": frozenset({"2BB5"}),
}
"""PCI device ids of boards, by the profile that takes a whole card of them (mig-parted @bd7160f)."""
_KNOWN_BOARDS = frozenset().union(*_BOARDS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutRule:
    """How some cards are cut under a layout."""

    boards: tuple[str, ...]
    """PCI device ids that it is for, as 20B2; none: all."""
    devices: tuple[int, ...] | None
    """Indices of the cards that it is for; None: all."""
    slices: Mapping[str, int]
    """Slices of each profile on one card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutFile:
    """The layouts that a MIG manager is configured with."""

    where: str
    """The ConfigMap, as people name it."""
    layouts: Mapping[str, tuple[LayoutRule, ...]] | Unknown


def cards_of_slices(
    labels: GpuLabels, cut: str, kind: GpuType | None, files: Iterable[LayoutFile]
) -> int | Unknown:
    """Count the cards that a node's slices are of, where one layout cut all of them to this profile."""
    name, slices = labels.mig_config, labels.count
    if not isinstance(slices, int):
        return slices or _untold(cut, "and no label counts these")
    if name is None or labels.mig_config_state is not MigConfigState.SUCCESS:
        return _untold(cut, "and no label names a layout that was applied")
    profile = profile_named(kind, cut)
    rules = _rules(name, profile, kind, tuple(files))
    if isinstance(rules, Unknown):
        return rules
    cards = _cards(rules, profile.name, slices)
    return cards or _untold(cut, f"and {slices} are no number of cards under the layout {name}")


def rules_named(
    name: str, kind: GpuType, files: tuple[LayoutFile, ...] | Unknown
) -> Maybe[tuple[LayoutRule, ...]]:
    """How a layout cuts cards of a type; None where the MIG managers know none of this name for them."""
    if isinstance(files, Unknown):
        return files
    if not files:
        return _as_shipped(name, kind)
    rules: list[LayoutRule] = []
    for file in files:
        if isinstance(file.layouts, Unknown):
            return file.layouts
        rules += _named(file.layouts, name)
    return tuple(rule for rule in rules if _may_be_for(rule, kind)) or None


def _as_shipped(name: str, kind: GpuType) -> tuple[LayoutRule, ...] | Unknown:
    """Find a layout of one profile by its name; what else a MIG manager comes with is not to be seen."""
    if name == _WHOLE:
        return (LayoutRule(boards=(), devices=None, slices={}),)
    for profile in kind.mig_profiles:
        if name == _SHIPPED + profile.name.replace("+", "."):
            return _shipped(name, profile)
    said = (
        f"how the MIG managers are configured is not to be seen, so what the layout {name} does is not known"
    )
    return undetermined(System.KUBERNETES, said)


def _rules(
    name: str, profile: MigProfile, kind: GpuType | None, files: tuple[LayoutFile, ...]
) -> tuple[LayoutRule, ...] | Unknown:
    """Find how a layout cuts such boards; where no file is to be seen, as the manager is shipped."""
    if not files:
        return _shipped(name, profile)
    rules: list[LayoutRule] = []
    for file in files:
        if isinstance(file.layouts, Unknown):
            return file.layouts
        rules += _named(file.layouts, name)
    fitting = tuple(rule for rule in rules if profile.name in rule.slices and _may_be_for(rule, kind))
    said = f"has no layout {name} that cuts such cards to them"
    return fitting or _untold(profile.name, f"and {', '.join(file.where for file in files)} {said}")


def _named(layouts: Mapping[str, tuple[LayoutRule, ...]], name: str) -> Iterator[LayoutRule]:
    """Find a layout by its label, which cannot hold a plus."""
    for written, rules in layouts.items():
        if written.replace("+", ".") == name:
            yield from rules


def _may_be_for(rule: LayoutRule, kind: GpuType | None) -> bool:
    """Whether a rule may speak of boards of this type: an id that is not known may be one of them."""
    names = {one.name for one in kind.mig_profiles} if kind else set()
    own = frozenset().union(*(ids for whole, ids in _BOARDS.items() if whole in names))
    return not (rule.boards and own) or any(
        board in own or board not in _KNOWN_BOARDS for board in rule.boards
    )


def _shipped(name: str, profile: MigProfile) -> tuple[LayoutRule, ...] | Unknown:
    """As many on each card as fit, of the one profile that the name tells."""
    if name != _SHIPPED + profile.name.replace("+", "."):
        return _untold(profile.name, f"and how the layout {name} cuts a card is not known")
    if profile.max_per_card is None:
        return _untold(profile.name, "and how many of them a card gives is not known")
    return (LayoutRule(boards=(), devices=None, slices={profile.name: profile.max_per_card}),)


def _cards(rules: tuple[LayoutRule, ...], profile: str, slices: int) -> int | None:
    """Count cards: of one cut, or as many as are listed if they have just these slices."""
    if all(rule.devices is None for rule in rules):
        cuts = {rule.slices[profile] for rule in rules}
        (of_card,) = cuts if len(cuts) == 1 else (0,)
        return slices // of_card if of_card > 0 and slices % of_card == 0 else None
    listed = {device: rule.slices[profile] for rule in rules for device in rule.devices or ()}
    whole = all(rule.devices for rule in rules) and sum(listed.values()) == slices
    return len(listed) if whole else None


def _untold(cut: str, why: str) -> Unknown:
    said = f"under the single MIG strategy nvidia.com/gpu counts slices ({cut})"
    return undetermined(System.KUBERNETES, f"{said}, {why}")
