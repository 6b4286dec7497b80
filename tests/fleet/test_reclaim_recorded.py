"""What the real scheduler left behind, recorded, read and judged: `ml-prod` asks, `ml-batch` holds."""

import pytest

from gateway.fleet.reclaim.blocks import Block, Side, blocks
from gateway.fleet.reclaim.missing import missing_from_deserved
from gateway.fleet.reclaim.reclaim import reclaim
from gateway.fleet.scheduler import SharePlugin
from tests.builders import CLUSTER
from tests.recorded_volcano import recorded
from tests.scheduling import DISK, GPU, SLICE, a_config

OTHERS = ("cpu", DISK, "memory")
ASKED = (*OTHERS, GPU)


def judged(fleet, queue):
    return reclaim(fleet.queue(CLUSTER, queue), fleet)


@pytest.mark.parametrize(
    ("name", "missing", "blocked"),
    [
        ("v1130-reclaim-gpu-only", OTHERS, ASKED),
        ("v1130-reclaim-full", (), ()),
        ("v1130-reclaim-owner-no-gpu", (GPU,), ASKED),
        ("reclaim-gpu-only", OTHERS, ()),
        ("reclaim-owner-empty", ASKED, ASKED),
        ("reclaim-mig-not-listed", (SLICE,), ()),
        ("reclaim-beyond-gpu-share", (), ()),
    ],
)
def test_judges_who_asks(name, missing, blocked):
    fleet = recorded(name)
    assert missing_from_deserved(fleet.queue(CLUSTER, "ml-prod"), fleet) == missing
    assert judged(fleet, "ml-prod").blocked_as_asker == blocked


@pytest.mark.parametrize(
    ("name", "missing", "blocked"),
    [
        ("v1130-reclaim-gpu-only", OTHERS, ()),
        ("reclaim-full", (), ()),
        ("reclaim-borrower-no-gpu", (GPU,), (GPU,)),
        ("reclaim-cpu-bound-gpu-only", OTHERS, OTHERS),
        ("reclaim-mig-not-listed", (SLICE,), (SLICE,)),
        ("reclaim-mig-listed-zero", (), ()),
        ("reclaim-breaks-gang", (), ()),
    ],
)
def test_judges_who_holds(name, missing, blocked):
    fleet = recorded(name)
    assert missing_from_deserved(fleet.queue(CLUSTER, "ml-batch"), fleet) == missing
    assert judged(fleet, "ml-batch").blocked_as_holder == blocked


def test_under_proportion_nothing_that_deserved_lacks_blocks():
    fleet = recorded("reclaim-proportion", a_config(share_plugin=SharePlugin.PROPORTION))
    for queue in ("ml-prod", "ml-batch"):
        assert missing_from_deserved(fleet.queue(CLUSTER, queue), fleet) == OTHERS
        assert judged(fleet, queue).blocked_as_asker == ()
        assert judged(fleet, queue).blocked_as_holder == ()
    assert blocks(CLUSTER, fleet) == {}


@pytest.mark.parametrize(
    ("name", "queue", "block"),
    [
        (
            "v1130-reclaim-gpu-only",
            "ml-prod",
            Block(side=Side.ASKER, resources=(GPU,), missing=OTHERS, is_asked_now=True),
        ),
        (
            "v1130-reclaim-gpu-only",  # nothing of it waits
            "ml-batch",
            Block(side=Side.ASKER, resources=(GPU,), missing=OTHERS, is_asked_now=False),
        ),
        (
            "v1130-reclaim-owner-no-gpu",
            "ml-prod",
            Block(side=Side.ASKER, resources=OTHERS, missing=(GPU,), is_asked_now=True),
        ),
        (
            "reclaim-borrower-no-gpu",
            "ml-batch",
            Block(side=Side.HOLDER, resources=(GPU,), missing=(GPU,), is_asked_now=True),
        ),
        (
            "reclaim-mig-not-listed",
            "ml-batch",
            Block(side=Side.HOLDER, resources=(SLICE,), missing=(SLICE,), is_asked_now=True),
        ),
        (
            "reclaim-cpu-bound-gpu-only",
            "ml-batch",
            Block(side=Side.HOLDER, resources=OTHERS, missing=OTHERS, is_asked_now=True),
        ),
        (
            "reclaim-gpu-only",  # it was taken back: nothing waits any more
            "ml-batch",
            Block(side=Side.HOLDER, resources=OTHERS, missing=OTHERS, is_asked_now=False),
        ),
    ],
)
def test_tells_what_is_blocked_and_whether_somebody_waits_for_it(name, queue, block):
    assert blocks(CLUSTER, recorded(name))[queue] == (block,)


@pytest.mark.parametrize(
    "name",
    [
        "v1130-reclaim-full",
        "reclaim-full",
        "reclaim-beyond-gpu-share",
        "reclaim-breaks-gang",
        "reclaim-owner-empty",
        "reclaim-ask-over-overcommit",
        "reclaim-guarantees-eat-total",
    ],
)
def test_blocks_nothing_where_deserved_is_complete_or_empty(name):
    assert blocks(CLUSTER, recorded(name)) == {}
