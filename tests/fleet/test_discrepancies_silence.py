"""A fleet in which everything is wrong, with one system silent after the other."""

from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.alert import AlertKind
from gateway.fleet.discrepancies.rules import RULES, can_judge, found_by
from gateway.fleet.platform import Target
from tests.builders import (
    a_job,
    a_node,
    a_pod,
    a_pod_group,
    a_queue,
    a_record,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleets import FRESH, NEVER, a_keeper
from tests.gpu_labels import A100, GPU, H100, mixed, shared
from tests.quotas import RESOURCE_QUOTAS, a_quota, with_quotas
from tests.scheduling import SCHEDULER, SLICE, a_scheduler

ABOUT_SOURCES = {AlertKind.SOURCE_DOWN, AlertKind.SOURCE_STALE}


def findings(fleet):
    return {name: one for rule in RULES for name, one in found_by(rule, fleet).items()}


def troubled():
    """A fleet in which all kinds of things are wrong."""
    cut = mixed(2, A100) | {"nvidia.com/mig.config": "all-3g.40gb", "nvidia.com/mig.config.state": "success"}
    keeper = a_keeper(
        [
            a_node("batch"),
            a_node("service"),
            a_node("empty", capacity={GPU: 0}),
            a_node("lossy", allocatable={GPU: 7}),
            a_node("cut", cut, {GPU: 0, "nvidia.com/mig-1g.10gb": 14}),
            a_node("shared", shared(2, 2), {GPU: 4}),
            a_node("wild"),
        ],
        [a_pod("held", "batch", group="gang")],
        some_records(
            [
                a_record("batch", Target.SLURM),
                a_record("gone"),
                a_record("shared", claims=4),
                a_record("island", Target.SLURM),
                replace(a_record("cut"), claimed_gpu_type=H100),
                *(a_record(name) for name in ("service", "empty", "lossy")),
            ],
            [a_workspace(given={H100: 99, "H200-141GB": 4})],
        ),
        slurm_nodes=[a_slurm_node("batch"), a_slurm_node("service"), a_slurm_node("island")],
        jobs=[a_job(name, {name: 8}) for name in ("service", "island", "batch")],
        queues=[
            a_queue("training", {GPU: 5, SLICE: "13Gi"}, deserved={"cpu": 1, "memory": 1, SLICE: 1}),
        ],
        pod_groups=[a_pod_group()],
    )
    keeper.replace(SCHEDULER, {"scheduler": a_scheduler("v1.13.0")}, FRESH)
    return with_quotas(keeper, [a_quota({GPU: "8"}), a_quota({f"requests.{GPU}": "10k"}, name="high")])


def test_a_troubled_fleet_shows_nearly_every_kind():
    assert {one.kind.value for one in findings(troubled().pin()).values()} >= {
        "ORPHANED_RECORD",
        "TARGET_CONFLICT",
        "SLICES_COUNTED_AS_CARDS",
        "READY_WITHOUT_CAPACITY",
        "TYPE_NOT_ALLOCATED",
        "OVER_ALLOCATED",
        "GPUS_EXHAUSTED",
        "UNMANAGED_NODE",
        "CARDS_LOST",
        "PROFILE_DRIFT",
        "IMPLAUSIBLE_COUNT",
        "USAGE_DRIFT",
        "QUOTA_WITHOUT_EFFECT",
        "GPU_QUOTA_HIGH",
    }


@pytest.mark.parametrize("system", System)
def test_silence_raises_nothing_but_its_own_alert_and_what_it_hides_cannot_be_judged(system):
    keeper = troubled()
    before = findings(keeper.pin())
    for key in [key for key in keeper._contacts if key.system is system]:
        keeper.touch(key, NEVER)
    fleet = keeper.pin()

    after = findings(fleet)

    hidden = [before[name] for name in before.keys() - after.keys()]
    assert {one.kind for name, one in after.items() if name not in before} <= ABOUT_SOURCES
    assert [one.kind for one in hidden if can_judge(one, fleet)] == []


def test_quotas_that_may_not_be_read_keep_nothing_else_from_being_judged():
    keeper = troubled()
    keeper.touch(RESOURCE_QUOTAS, NEVER)

    kept = {one.kind for one in findings(troubled().pin()).values() if not can_judge(one, keeper.pin())}

    assert kept == {AlertKind.QUOTA_WITHOUT_EFFECT, AlertKind.GPU_QUOTA_HIGH}
