"""Whatever comes in whatever order, the fleet is what its last rows say."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import System
from gateway.fleet.layouts import LayoutFile, LayoutRule
from gateway.fleet.source import SourceKey
from tests.builders import a_node, a_pod
from tests.fleets import FRESH, NEVER, NODES, PODS, a_keeper
from tests.gpu_labels import GPU, mixed, single, whole
from tests.listed import a_claim, a_gpu, a_slice

SLICES, CLAIMS, LAYOUTS = (
    SourceKey(System.KUBERNETES, "fleet", kind) for kind in ("resourceslices", "resourceclaims", "migconfigs")
)
NAMES = ("gpu-01", "gpu-02")
CUT = single(14, "1g.10gb") | {"nvidia.com/mig.config": "ours", "nvidia.com/mig.config.state": "success"}
LABELS = st.sampled_from([{}, whole(4), mixed(4), CUT])


def a_layout(of_card):
    rule = LayoutRule(boards=(), devices=None, slices={"1g.10gb": of_card})
    return LayoutFile(where="layouts", layouts={"ours": (rule,)})


@st.composite
def changes(draw):
    """A row of some listing that comes, changes or goes."""
    name = draw(st.sampled_from(NAMES))
    gone = draw(st.booleans())
    row = draw(
        st.sampled_from(
            [
                (NODES, name, a_node(name, draw(LABELS), {GPU: draw(st.sampled_from([4, 14]))})),
                (PODS, ("ops", f"gfd-{name}"), discovery(name)),
                (PODS, ("work", name), a_pod("work", name)),
                (LAYOUTS, "layouts", a_layout(draw(st.sampled_from([1, 7])))),
                (SLICES, name, slices(name, draw(st.integers(1, 3)))),
                (CLAIMS, ("work", "claim"), a_claim("claim", "gpu-0", node=name)),
            ]
        )
    )
    return (row[0], row[1], None) if gone else row


def discovery(node):
    return replace(a_pod(f"gfd-{node}", node, {}), controller="DaemonSet/gpu-feature-discovery")


def slices(node, cards):
    return a_slice(node, [a_gpu(at) for at in range(cards)])


def machines(keeper):
    return {key: row for key, row in keeper.pin().listings.nodes.rows.items() if row.is_gpu_node}


def told_once(rows):
    keeper = a_keeper()
    for key, held in rows.items():
        keeper.replace(key, held, FRESH)
    return machines(keeper)


@given(st.lists(changes(), max_size=20))
def test_changes_one_by_one_come_to_what_is_told_at_once(events):
    keeper, rows = a_keeper(), {}
    for key, name, row in events:
        keeper.change(key, {name: row}, FRESH)
        held = rows.setdefault(key, {})
        if row is None:
            held.pop(name, None)
        else:
            held[name] = row

    assert machines(keeper) == told_once(rows)


@given(st.lists(changes(), max_size=12), st.sampled_from([SLICES, CLAIMS, LAYOUTS, PODS]))
def test_a_silence_that_ends_leaves_no_trace(events, silent):
    keeper = a_keeper()
    for key in (SLICES, CLAIMS, LAYOUTS):
        keeper.replace(key, {}, FRESH)
    for key, name, row in events:
        keeper.change(key, {name: row}, FRESH)
    before = machines(keeper)

    keeper.touch(silent, NEVER)
    keeper.touch(silent, FRESH)

    assert machines(keeper) == before
