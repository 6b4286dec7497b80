"""Reads the configuration of Volcano's scheduler: the text that stands in its ConfigMap."""

from collections.abc import Sequence

import msgspec

from gateway.errors import System
from gateway.fleet.scheduler import SchedulerConfig, SharePlugin
from gateway.fleet.unknown import Unknown, undetermined

_SHARES = {plugin.value: plugin for plugin in SharePlugin}


class _Plugin(msgspec.Struct):
    name: str
    hierarchy: bool | None = msgspec.field(name="enableHierarchy", default=None)
    reclaimable: bool | None = msgspec.field(name="enableReclaimable", default=None)


class _Tier(msgspec.Struct):
    plugins: list[_Plugin] | None = None


class _Config(msgspec.Struct):
    actions: str
    tiers: list[_Tier] | None = None


DEFAULT_CONFIG = SchedulerConfig(
    actions=("enqueue", "allocate", "backfill"),
    share_plugin=SharePlugin.PROPORTION,
    hierarchy=False,
    gang_decides=True,
)
"""What Volcano does without a configuration of its own (to 1.16)."""


def read_config(text: str, where: str) -> SchedulerConfig | Unknown:
    """Read a configuration; one that Volcano could not read either says nothing."""
    try:
        config = msgspec.yaml.decode(text, type=_Config)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        return undetermined(System.QUEUES, f"{where} is no configuration of a scheduler: {error}")
    tiers = [tier.plugins or [] for tier in config.tiers or []]
    plugins = [plugin for tier in tiers for plugin in tier]
    shares = [plugin for plugin in plugins if plugin.name in _SHARES]
    return SchedulerConfig(
        actions=tuple(action.strip() for action in config.actions.split(",")),
        share_plugin=_share_plugin(shares, where),
        hierarchy=any(plugin.hierarchy for plugin in shares),
        gang_decides=_tier_of("gang", tiers) < min(_tier_of(name, tiers) for name in _SHARES),
    )


def _share_plugin(shares: Sequence[_Plugin], where: str) -> SharePlugin | Unknown | None:
    names = sorted({plugin.name for plugin in shares})
    if len(names) > 1:
        return undetermined(
            System.QUEUES, f"{where} names {' and '.join(names)}: only one can hold the shares"
        )
    return _SHARES[names[0]] if names else None


def _tier_of(name: str, tiers: Sequence[Sequence[_Plugin]]) -> int:
    """The tier in which a plugin decides about reclaim; the one after the last where none does."""
    deciding = (
        at
        for at, tier in enumerate(tiers)
        for plugin in tier
        if plugin.name == name and plugin.reclaimable is not False
    )
    return next(deciding, len(tiers))
