"""What a platform.yaml asks of a node, as the changes that a caller would ask for."""

from collections.abc import Iterator
from typing import TypeAlias

import yaml

from gateway.fleet.change import SetCordon, SetMigLayout
from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.sources.postgres.marked_yaml import MarkedYaml

NodeWish: TypeAlias = SetCordon | SetMigLayout
"""A layout is not yet for a machine: a file knows only names."""


def read_wishes(source: MarkedYaml, node: yaml.Node | None, cluster: str, name: str) -> Iterator[NodeWish]:
    """What stands under a node's `desired`; what is left out there is not asked for."""
    what = f"node {name}: desired"
    values = source.mapping(node, what, (), ("cordoned", "cordonReason", "migLayout"))
    cordoned = source.choice(values.get("cordoned"), f"{what}.cordoned", ("true", "false"))
    reason = source.text(values.get("cordonReason"), f"{what}.cordonReason")
    if reason and cordoned != "true":
        source.mistake(
            values["cordonReason"], f"{what}.cordonReason: of no cordon; add cordoned: true, or leave it out"
        )
    if cordoned:
        yield SetCordon(cluster=cluster, node=name, cordoned=cordoned == "true", reason=reason)
    layout = _layout(source, values.get("migLayout"), f"{what}.migLayout")
    if layout:
        yield SetMigLayout(cluster=cluster, node=name, layout=layout)


def _layout(source: MarkedYaml, node: yaml.Node | None, what: str) -> MigLayout | None:
    if node is None:
        return None
    values = source.mapping(node, what, (), ("config", "cards"))
    if len(values) != 1:
        source.mistake(node, f"{what}: write config or cards, one of them")
        return None
    if "config" in values:
        return MigLayout(config=source.text(values["config"], f"{what}.config"))
    listed = source.items(values["cards"], f"{what}.cards")
    if not listed:
        source.mistake(values["cards"], f"{what}.cards: names none; write how some are cut")
    return MigLayout(cards=tuple(_cards(source, item, f"{what}.cards") for item in listed))


def _cards(source: MarkedYaml, node: yaml.Node, what: str) -> CardLayout:
    values = source.mapping(node, what, ("profiles",), ("devices",))
    devices = values.get("devices")
    cards = [source.count(item, f"{what}: devices") for item in source.items(devices, f"{what}: devices")]
    counts = {
        profile: source.count(count, f"{what}: profiles: {profile}", least=1)
        for profile, count in source.pairs(values.get("profiles"), f"{what}: profiles").items()
    }
    return CardLayout(
        devices=tuple(card for card in cards if card is not None) if devices else None,
        profiles=tuple(ProfileCount(profile=name, count=count or 0) for name, count in counts.items()),
    )
