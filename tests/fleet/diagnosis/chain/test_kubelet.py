import pytest

from gateway.errors import System
from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.unknown import undetermined
from tests.builders import a_node
from tests.gpu_labels import A100, GPU, mixed, shared, single
from tests.gpu_operator import LABELS, MACHINE, a_site, evidence_of, labelled, step_of

CAPACITY, ALLOCATABLE = (f"nodes/{MACHINE} status.{part}" for part in ("capacity", "allocatable"))
SEVENTH, THIRD = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"
STATE = "nvidia.com/mig.config.state"


def kubelet(node):
    return step_of(a_site(node), DiagnosisCheck.KUBELET)


def offering(has, gives=None, labels=None):
    return a_node(MACHINE, labelled() if labels is None else LABELS | labels, has, gives)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (offering({}), f"has no resource {GPU}"),
        (offering({GPU: 0}), f"has 0 of {GPU}: a device plugin served it once"),
        (offering({GPU: 16}, {GPU: 0}), "takes every device for unhealthy"),
        (offering({GPU: 3}, {GPU: 2}), f"gives only 2 of 3 {GPU}"),
        (offering({GPU: 8}, {}), "takes every device for unhealthy"),
        (offering({GPU: 7}), "1 of 8 cards are not allocatable"),
        (offering({GPU: 1, SEVENTH: 7}, {GPU: 1, SEVENTH: 6}, mixed(2)), f"gives only 6 of 7 {SEVENTH}"),
        (offering({GPU: 0, SEVENTH: 0}, labels=mixed(8)), f"has 0 of {GPU}, {SEVENTH}"),
        (offering({GPU: 16}, {GPU: 12}, shared(4, 4)), f"gives only 12 of 16 {GPU}"),
    ],
    ids=[
        "absent",
        "0",
        "all unhealthy",
        "one unhealthy",
        "none allocatable",
        "less than the labels count",
        "a slice lost",
        "no slice left",
        "shares lost",
    ],
)
def test_what_is_not_offered_breaks_the_link(node, said):
    step = kubelet(node)

    assert (step.outcome.value, said in step.finding) == ("FAIL", True), step.finding
    assert [one.action for one in step.remedies] == [RemedyAction.REPAIR_NODE]
    assert "See: kubectl get node gpu-01 -o jsonpath=" in step.finding


def test_both_what_it_has_and_what_it_gives_are_shown():
    step = kubelet(offering({GPU: 3}, {GPU: 2}))

    assert evidence_of(step) == {f"{CAPACITY}[{GPU}]": "3", f"{ALLOCATABLE}[{GPU}]": "2"}
    assert evidence_of(kubelet(offering({}))) == {f"{CAPACITY}[{GPU}]": None, f"{ALLOCATABLE}[{GPU}]": None}


@pytest.mark.parametrize(
    "node",
    [
        offering({GPU: 8}),
        offering({GPU: 1, SEVENTH: 0, THIRD: 0}, labels=labelled(**{"nvidia.com/gpu.count": "1"})),
        offering({GPU: 0, SEVENTH: 56}, labels=mixed(8)),
        offering({GPU: 56}, labels=single(56, "1g.10gb", A100)),
        offering({GPU: 12}, labels=shared(1, 12)),
        offering({"volcano.sh/vgpu-number": 40, "volcano.sh/vgpu-memory": 196608}, labels={}),
    ],
    ids=[
        "cards",
        "zeros of an old layout",
        "slices",
        "slices alone",
        "shares",
        "virtual GPUs and their memory",
    ],
)
def test_what_is_offered_whole_holds(node):
    assert kubelet(node).outcome.value == "PASS"


def test_what_to_do_hangs_on_whether_a_card_was_registered():
    assert "registers no card" in kubelet(offering({GPU: 0})).remedies[0].text
    assert "Xid" in kubelet(offering({GPU: 8}, {GPU: 7})).remedies[0].text


def test_a_node_that_is_not_ready_takes_no_work_whatever_it_offers():
    step = kubelet(a_node(MACHINE, labelled(), ready=False))

    assert step.outcome.value == "FAIL"
    assert evidence_of(step) == {f"nodes/{MACHINE} status.conditions[Ready]": "False"}
    assert [one.action for one in step.remedies] == [RemedyAction.REPAIR_NODE]


def test_a_node_that_reboots_for_its_layout_comes_back():
    step = kubelet(a_node(MACHINE, labelled(**{STATE: "rebooting"}), ready=False))

    assert "its MIG layout is being changed" in step.finding
    assert [one.action for one in step.remedies] == [RemedyAction.WAIT]
    assert evidence_of(step)[f"nodes/{MACHINE} metadata.labels[{STATE}]"] == "rebooting"


@pytest.mark.parametrize(
    "node",
    [
        offering({GPU: "eight"}),
        offering({GPU: 18446744073709552000}),
        a_node(MACHINE, labelled(), ready=undetermined(System.KUBERNETES, "no condition Ready")),
    ],
    ids=["no number", "no plausible number", "not told whether it is Ready"],
)
def test_what_cannot_be_read_is_unknown(node):
    assert kubelet(node).outcome.value == "UNKNOWN"
