"""Who takes back what: each line was played on the real scheduler of each release."""

import pytest

from gateway.fleet.reclaim.eviction import may_be_taken
from gateway.fleet.reclaim.rules import rules_of
from gateway.fleet.reclaim.share import share_of
from gateway.fleet.reclaim.work import work_of
from gateway.fleet.scheduler import SharePlugin
from tests.scheduling import DISK, GPU, SLICE, Scene, a_config, a_scheduler

BEFORE, BETWEEN, NEWEST = "v1.13.0", "v1.13.3", "v1.16.0-alpha.1"
PLAYED = (BEFORE, BETWEEN, NEWEST)

ASK = {"cpu": 4, "memory": "32Gi", DISK: "10Gi", GPU: 2}
SWEEP = {"cpu": 8, "memory": "64Gi", DISK: "20Gi", GPU: 4}
ALL = {"cpu": 32, "memory": "256Gi", DISK: "512Gi", GPU: 8}
GPUS = {GPU: 8}
SLICED = {"cpu": 64, "memory": "512Gi", GPU: 8}


def without(name, amounts=ALL):
    return {key: amount for key, amount in amounts.items() if key != name}


def full(asker, holder, ask=ASK, held=SWEEP, **more):
    """Two nodes of eight GPUs, all held by the queue `batch`, while `prod` asks."""
    scene = Scene().queue("prod", asker).queue("batch", holder, **more)
    return scene.runs("batch", 4, held).waits("prod", ask)


def within_gpus():
    """`batch` holds its eight GPUs, and nearly all cpu there is."""
    return {"cpu": 31, "memory": "64Gi", DISK: "20Gi", GPU: 2}


def sliced(asker, holder):
    slices = {"cpu": 8, "memory": "64Gi", SLICE: 7}
    scene = Scene().queue("prod", asker).queue("batch", holder).runs("batch", 2, slices)
    return scene.waits("prod", {"cpu": 4, "memory": "16Gi", SLICE: 2})


def used_up(deserved):
    """`prod` holds its eight GPUs and asks for more."""
    scene = Scene().queue("prod", deserved).queue("batch", deserved)
    scene.runs("prod", 2, {"cpu": 4, "memory": "32Gi", DISK: "10Gi", GPU: 4})
    scene.runs("batch", 2, {"cpu": 24, "memory": "64Gi", DISK: "20Gi", GPU: 4})
    return scene.waits("prod", ASK)


def gang(deserved, held, need):
    scene = Scene().queue("prod", deserved).queue("batch", held)
    return scene.runs("batch", 4, SWEEP, need=need).waits("prod", ASK)


def marked(**more):
    scene = Scene().queue("prod", ALL).queue("batch", ALL)
    return scene.runs("batch", 4, SWEEP, **more).waits("prod", ASK)


def not_admitted(**more):
    scene = Scene().queue("prod", ALL).queue("batch", ALL, **more)
    return scene.runs("batch", 4, SWEEP).waits("prod", {**ASK, GPU: 4}, phase="Pending")


LINES = {
    # Whether something is taken back in v1.13.0, in v1.13.3 and after v1.16.0-alpha.1; None: not played.
    "both list only the GPU": (full(GPUS, GPUS), (False, True, True)),
    "both list all": (full(ALL, ALL), (True, None, True)),
    "both lack ephemeral-storage": (full(without(DISK), without(DISK)), (False, None, True)),
    "the asker lacks the GPU": (full(without(GPU), ALL), (False, True, True)),
    "the asker's memory is too small": (full({**ALL, "memory": "16Gi"}, ALL), (False, None, True)),
    "the asker deserves nothing": (full({}, ALL), (False, None, False)),
    "the holder lacks the GPU": (
        full(GPUS, {"cpu": 64, "memory": "512Gi", DISK: "512Gi"}),
        (False, False, False),
    ),
    "the holder deserves nothing": (full(GPUS, {}), (False, True, True)),
    "cpu is short, both list only the GPU": (full(GPUS, GPUS, held=within_gpus()), (False, True, False)),
    "cpu is short, both list all": (full(ALL, ALL, held=within_gpus()), (True, None, True)),
    "the holder is within its GPUs": (full(GPUS, {GPU: 16}), (False, True, False)),
    "neither lists slices": (sliced(SLICED, SLICED), (False, True, False)),
    "the holder lists slices with 0": (sliced(SLICED, {**SLICED, SLICE: 0}), (False, None, True)),
    "both list slices": (sliced({**SLICED, SLICE: 7}, {**SLICED, SLICE: 7}), (True, None, True)),
    "the asker's GPUs are used up, all is listed": (used_up(ALL), (False, True, True)),
    "the asker's GPUs are used up, only they are listed": (used_up(GPUS), (False, None, False)),
    "the holder's gang has members to spare": (gang(GPUS, {GPU: 16}, need=1), (False, True, True)),
    "the holder's gang has none to spare": (gang(ALL, ALL, need=4), (True, None, True)),
    "the holder is not reclaimable": (full(ALL, ALL, reclaimable=False), (False, None, False)),
    "the holder's pods are not preemptable": (marked(preemptable=False), (False, None, False)),
    "the holder is guaranteed 14 of 16": (full(ALL, ALL, guarantee={GPU: 14}), (False, None, False)),
    "four GPUs over the overcommit limit": (not_admitted(), (False, None, False)),
    "guarantees of others leave nothing": (not_admitted(guarantee={GPU: 16}), (False, None, False)),
}


def is_taken(fleet, asker="prod", holder="batch"):
    """Whether a running pod of one queue may be evicted for a waiting one of the other."""
    rules = rules_of(fleet.scheduler("fleet"))
    (reading,) = rules.readings
    queues = {name: fleet.queue("fleet", name) for name in (asker, holder)}
    shares = {name: share_of(queue, hierarchy=rules.hierarchy) for name, queue in queues.items()}
    return any(
        may_be_taken((shares[holder], victim), (shares[asker], ask), reading, gang_decides=rules.gang_decides)
        for ask in work_of(queues[asker], fleet).waiting
        for victim in work_of(queues[holder], fleet).running
    )


@pytest.mark.parametrize(
    ("line", "release", "happened"),
    [
        (line, release, happened)
        for line, (_, played) in LINES.items()
        for release, happened in zip(PLAYED, played, strict=True)
        if happened is not None
    ],
)
def test_takes_back_what_was_taken_back_when_it_was_played(line, release, happened):
    scene, _ = LINES[line]
    assert is_taken(scene.fleet(a_scheduler(release))) is happened


BY_WEIGHT = {"cpu": 64, "memory": "512Gi", DISK: "1Ti", GPU: 8}
"""Half of the two nodes: what plugin proportion makes of equal weights, whatever deserved says."""


@pytest.mark.parametrize(
    ("scene", "happened"),
    [
        (full(BY_WEIGHT, BY_WEIGHT), True),
        (full(BY_WEIGHT, BY_WEIGHT, held=within_gpus()), True),
        (full(BY_WEIGHT, BY_WEIGHT, reclaimable=False), False),
        (used_up(BY_WEIGHT), False),
    ],
    ids=["above its GPUs", "above its cpu", "not reclaimable", "the asker is at its share"],
)
def test_proportion_takes_back_what_is_held_beyond_the_share_by_weight(scene, happened):
    config = a_config(share_plugin=SharePlugin.PROPORTION)
    assert is_taken(scene.fleet(a_scheduler(NEWEST, config))) is happened
