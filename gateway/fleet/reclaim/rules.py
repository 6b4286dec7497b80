"""By which rules a cluster's scheduler judges, as far as its release and configuration are known."""

from collections.abc import Iterator
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.reclaim.reading import CAPACITY, PROPORTION, Reading, capacity_reading
from gateway.fleet.scheduler import Release, Scheduler, SchedulerConfig, SharePlugin
from gateway.fleet.unknown import Maybe, Unknown, undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is known of the scheduler; more than one reading where not enough is."""

    scheduler: str | Unknown
    """The scheduler in words."""
    readings: tuple[Reading, ...]
    """Empty: no plugin holds queues to shares, or what it does is not known."""
    reclaims: bool | None
    """Whether it takes anything back at all; None: that is not known."""
    actions: tuple[str, ...] = ()
    hierarchy: bool = True
    gang_decides: bool = True
    """What the plugin gang gives up is taken whatever the shares say: it stands first in Volcano's own."""
    doubts: tuple[str, ...] = ()
    """What is not known, and why."""


def rules_of(scheduler: Maybe[Scheduler]) -> Rules:
    """The rules of a scheduler."""
    if not isinstance(scheduler, Scheduler):
        unseen = undetermined(System.QUEUES, "no Deployment has the label app=volcano-scheduler")
        return _of_nobody(scheduler or unseen)
    if isinstance(scheduler.config, Unknown):
        return _of_release(scheduler, scheduler.config)
    return _of_config(scheduler, scheduler.config)


def _of_nobody(why: Unknown) -> Rules:
    return Rules(
        scheduler=why,
        readings=(*CAPACITY, PROPORTION),
        reclaims=None,
        doubts=(_doubt("which scheduler runs", why),),
    )


def _of_release(scheduler: Scheduler, why: Unknown) -> Rules:
    """What holds whatever the configuration says."""
    return Rules(
        scheduler=_words(scheduler, None),
        readings=(*_capacity(scheduler.release), PROPORTION),
        reclaims=None,
        doubts=(*_unknown_release(scheduler), _doubt("how the scheduler is configured", why)),
    )


def _of_config(scheduler: Scheduler, config: SchedulerConfig) -> Rules:
    plugin = config.share_plugin
    doubts = [*_unknown_release(scheduler), *_unjudged(scheduler, config)]
    if isinstance(plugin, Unknown):
        doubts.append(_doubt("which plugin holds queues to shares", plugin))
    return Rules(
        scheduler=_words(scheduler, plugin),
        readings=() if _GANG_RECLAIM in config.actions else _readings(scheduler.release, plugin),
        reclaims="reclaim" in config.actions or (None if _GANG_RECLAIM in config.actions else False),
        actions=config.actions,
        hierarchy=config.hierarchy,
        gang_decides=config.gang_decides,
        doubts=tuple(doubts),
    )


_GANG_RECLAIM = "gangreclaim"


def _readings(release: Release | Unknown, plugin: Maybe[SharePlugin]) -> tuple[Reading, ...]:
    if plugin is None:
        return ()
    if plugin is SharePlugin.PROPORTION:
        return (PROPORTION,)
    return _capacity(release) if plugin is SharePlugin.CAPACITY else (*_capacity(release), PROPORTION)


def _capacity(release: Release | Unknown) -> tuple[Reading, ...]:
    if isinstance(release, Unknown):
        return CAPACITY
    reading = capacity_reading(release)
    return (reading,) if reading else ()


def _unknown_release(scheduler: Scheduler) -> Iterator[str]:
    if isinstance(scheduler.release, Unknown):
        yield _doubt("which release runs", scheduler.release)


def _unjudged(scheduler: Scheduler, config: SchedulerConfig) -> Iterator[str]:
    """What runs and has no reading here."""
    if _GANG_RECLAIM in config.actions:
        yield f"what the action {_GANG_RECLAIM} takes back"
    if config.share_plugin is SharePlugin.CAPACITY and not _capacity(scheduler.release):
        yield f"what the plugin capacity does in {scheduler.release}: it came with v1.9"


def _doubt(what: str, why: Unknown) -> str:
    return f"{what} ({why.reason})"


def _words(scheduler: Scheduler, plugin: Maybe[SharePlugin]) -> str | Unknown:
    if isinstance(scheduler.release, Unknown):
        return scheduler.release
    with_plugin = f" with plugin {plugin.value}" if isinstance(plugin, SharePlugin) else ""
    return f"Volcano {scheduler.release}{with_plugin}"
