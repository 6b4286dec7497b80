from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.errors import System
from gateway.fleet.alert import Severity
from gateway.fleet.desired import BlockCause, Blocker, MigLayout, NodeDesired, NodeObserved, ReconcilePhase
from gateway.fleet.discrepancies.desired import foreign_cordons, stuck_changes, wished_slices_gone
from gateway.fleet.unknown import undetermined
from tests.builders import NOON, a_node, a_record, some_records
from tests.fleets import a_fleet
from tests.gpu_labels import GPU, mixed

P = ReconcilePhase
SEVENTH = "nvidia.com/mig-1g.10gb"
KEEPER = Blocker(cause=BlockCause.FINALIZER, name="training/train-0 is kept by example.com/keep")


def asked(layout="all-1g.10gb", generation=2, *, cordoned=False):
    return NodeDesired(
        cordoned=cordoned,
        cordon_reason=None,
        mig_layout=MigLayout(config=layout) if layout else None,
        generation=generation,
        layout_generation=generation,
        layout_uid="uid-gpu-01",
        acknowledged=frozenset(),
        changed_at=NOON,
        changed_by="ada",
    )


def told(phase, generation=2, message="as told", *, minutes=0, blockers=()):
    return NodeObserved(
        phase=phase,
        generation=generation,
        layout_converged=generation if phase is P.CONVERGED else 0,
        converged=phase is P.CONVERGED,
        message=message,
        blockers=blockers,
        changed_at=NOON - timedelta(minutes=minutes),
    )


def a_site(desired=None, observed=None, *, node=None, record=True):
    record = [replace(a_record(), desired=desired, observed=observed)] if record else []
    return a_fleet([node or a_node()], records=some_records(record))


def found(rule, *parts, **told):
    return list(rule(a_site(*parts, **told)))


@pytest.mark.parametrize(
    ("observed", "says", "lasts"),
    [
        (None, "gpu-01 was asked for generation 2, and nobody has taken it up", 5),
        (told(P.CONVERGED, 1), "gpu-01 was asked for generation 2, and nobody has taken it up", 5),
        (told(P.BLOCKED), "gpu-01 is BLOCKED: as told", 5),
        (told(P.FAILED), "gpu-01 is FAILED: as told", 0),
        (told(P.APPLYING, minutes=61), "gpu-01 has been APPLYING for more than an hour: as told", 5),
    ],
)
def test_what_does_not_come_about_is_told_once_it_lasts(observed, says, lasts):
    (finding,) = found(stuck_changes, asked(), observed)

    assert (finding.message, finding.lasts) == (says, timedelta(minutes=lasts))
    assert finding.claim.path == "node_record[fleet/gpu-01].desired_generation"
    assert finding.evidence[0].value == (observed.phase.value if observed else None)


@pytest.mark.parametrize("observed", [told(P.CONVERGED, minutes=90), told(P.DRAINING, minutes=59)])
def test_what_is_done_or_on_its_way_is_not_stuck(observed):
    assert found(stuck_changes, asked(), observed) == []


def test_nothing_that_was_never_asked_is_stuck():
    assert found(stuck_changes) == found(stuck_changes, record=False) == []


def test_nothing_is_said_of_a_wish_that_cannot_be_read():
    unread = undetermined(System.PLATFORM, "desired_layout: 7; correct it first")
    for rule in (stuck_changes, foreign_cordons, wished_slices_gone):
        assert found(rule, unread, unread, node=cordoned()) == []


@pytest.mark.parametrize(
    ("observed", "text"),
    [
        (None, "see whether gpu-gateway controllers runs, and whether it is paused"),
        (told(P.FAILED), "ask again, or withdraw what was asked"),
        (
            told(P.BLOCKED, blockers=(KEEPER,)),
            f"remove what is in the way ({KEEPER.name}), ask again, or withdraw what was asked",
        ),
    ],
)
def test_the_way_out_is_told_by_name(observed, text):
    (finding,) = found(stuck_changes, asked(), observed)

    assert [remedy.text for remedy in finding.remedies] == [text]


def cordoned(by="kubectl-cordon"):
    return replace(a_node(cordoned=True), cordoned_by=by)


@pytest.mark.parametrize(("by", "named"), [("kubectl-cordon", "kubectl-cordon"), (None, "somebody")])
def test_a_cordon_that_nobody_asked_the_gateway_for_is_told_with_who_did_it(by, named):
    (finding,) = found(foreign_cordons, node=cordoned(by))

    assert finding.message == f"gpu-01 was cordoned by {named}, and nobody asked the gateway for it"
    assert finding.severity is Severity.INFO
    assert finding.remedies[0].text.endswith("kubectl uncordon gpu-01")


@pytest.mark.parametrize(
    ("desired", "observed"),
    [
        (asked(None, cordoned=True), told(P.CONVERGED)),
        (asked(), None),
        (asked(), told(P.APPLYING)),
        (asked(), told(P.FAILED)),
    ],
)
def test_a_cordon_that_is_wished_or_that_a_change_may_hold_is_nobody_elses(desired, observed):
    assert found(foreign_cordons, desired, observed, node=cordoned("gpu-gateway")) == []


def test_a_cordon_of_the_gateway_that_nobody_asks_for_is_a_warning_once_it_lasts():
    (finding,) = found(foreign_cordons, asked(None), told(P.CONVERGED), node=cordoned("gpu-gateway"))

    assert finding.message == "gpu-01 has a cordon of the gateway that nobody asks for any more"
    assert (finding.severity, finding.lasts) == (Severity.WARNING, timedelta(minutes=5))


def test_an_open_machine_and_one_without_a_record_have_no_foreign_cordon():
    assert found(foreign_cordons) == found(foreign_cordons, node=cordoned(), record=False) == []


def cut(count=14, config="all-1g.10gb"):
    labels = mixed(2) | {"nvidia.com/mig.config": config, "nvidia.com/mig.config.state": "success"}
    return a_node(labels=labels, capacity={SEVENTH: 14, GPU: 0}, allocatable={SEVENTH: count, GPU: 0})


def test_slices_that_were_verified_and_are_fewer_by_now_are_told_and_nothing_is_drained_for_them():
    (finding,) = found(wished_slices_gone, asked(), told(P.CONVERGED), node=cut(13))

    assert finding.message == (
        "gpu-01 was verified to offer 14 x mig-1g.10gb; by now it offers 13 x mig-1g.10gb"
    )
    assert "nothing is drained for it" in finding.remedies[0].text
    assert finding.lasts == timedelta(minutes=5)


def test_a_machine_that_offers_nothing_of_what_was_verified_says_nothing_is_offered():
    (finding,) = found(wished_slices_gone, asked(), told(P.CONVERGED), node=cut(0))

    assert finding.message.endswith("by now it offers nothing")


@pytest.mark.parametrize(
    ("desired", "observed", "node"),
    [
        (asked(), told(P.CONVERGED), cut()),
        (asked(), told(P.APPLYING), cut(13)),
        (asked(), None, cut(13)),
        (asked(None), told(P.CONVERGED), cut(13)),
        (None, None, cut(13)),
        (asked("by-hand"), told(P.CONVERGED), cut(13)),
        (asked(), told(P.CONVERGED), a_node(labels={})),
    ],
)
def test_no_drift_is_told_where_the_slices_are_there_or_nothing_was_verified(desired, observed, node):
    assert found(wished_slices_gone, desired, observed, node=node) == []
    assert found(wished_slices_gone, node=node, record=False) == []
