"""The answer is that of a scheduler, whatever the fleet is like; and what it says to do helps."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gateway.fleet.alert import RemedyAction
from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.judge import judged
from gateway.fleet.fits.report import fit_report
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.platform import Target
from gateway.fleet.scheduling.cluster import seen_by_scheduler
from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.scheduling.view import view_of
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from tests.builders import CLUSTER, a_node, a_pod, some_records
from tests.fleet.fits.asks import by_node, cards, fits
from tests.fleet.generated import KINDS, SLICES, fleets, troubled_fleets
from tests.fleet.scheduling.scenes import pod
from tests.fleets import a_fleet
from tests.gpu_labels import GPU

SMALL = st.sampled_from([1, 1, 2, 4, 8])


def fleet_of(machines):
    """What a request sees of these machines."""
    return a_fleet(
        [one.kubernetes for one in machines if one.kubernetes],
        [replace(pod, name=f"{pod.name}-{one.name}", uid=one.name) for one in machines for pod in one.pods],
        some_records([one.record for one in machines if one.record]),
        slurm_nodes=[one.slurm for one in machines if one.slurm],
        jobs=[replace(job, job_id=f"{at}") for at, one in enumerate(machines) for job in one.jobs],
    )


def kept_to(names):
    """A spec that keeps a pod to these machines."""
    named = {"key": "metadata.name", "operator": "In"}
    terms = [{"matchFields": [named | {"values": [name]}]} for name in sorted(names)]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"affinity": {"nodeAffinity": required}}


def offers(node, resource, unit):
    gpus = node.gpus
    return isinstance(gpus, NodeGpus) and any(
        one.name == resource and one.unit is unit and one.capacity for one in gpus.resources or ()
    )


def placed(fleet, resource, count, names):
    """The machines of these on which a scheduler would put a pod that asks for so much."""
    asks = pod(asks={resource: str(count)}, **kept_to(names)) if names else None
    view = seen_by_scheduler(fleet, CLUSTER)
    return {one.node for one in verdicts(asks, view) if one.fits is True} if asks else set()


def serving(fleet, wanted):
    nodes = fleet.nodes(CLUSTER).values()
    return {
        node.name
        for node in nodes
        if wanted(node) and not (node.record and node.record.target is Target.SLURM)
    }


def doing(report):
    return {name for name, said in by_node(report).items() if said is True}


@given(fleets(), KINDS, SMALL)
def test_cards_fit_where_a_pod_that_asks_for_them_would_be_put(machines, kind, count):
    fleet = fleet_of(machines)

    def wanted(node):
        own = isinstance(node.gpus, NodeGpus) and isinstance(node.gpus.type, GpuType)
        return own and node.gpus.type.name == kind and offers(node, GPU, GpuUnit.CARD)

    report = fit_report(cards(count, kind), fleet)

    assert doing(report) == placed(fleet, GPU, count, serving(fleet, wanted))


@given(fleets(), SMALL)
def test_slices_fit_where_a_pod_that_asks_for_them_would_be_put(machines, count):
    fleet = fleet_of(machines)
    (profile,) = (one for one in CATALOGUE["A100-80GB"].mig_profiles if one.name == "1g.10gb")
    ask = Ask(gpu_type=None, profile=profile, count=count, nodes=1, tenant=None)

    report = fit_report(ask, fleet)

    named = serving(fleet, lambda node: offers(node, SLICES, GpuUnit.SLICE))
    single = serving(
        fleet,
        lambda node: (
            offers(node, GPU, GpuUnit.SLICE) and "-MIG-1g.10gb" in (node.kubernetes.gpu_labels.product or "")
        ),
    )
    assert doing(report) == placed(fleet, SLICES, count, named) | placed(fleet, GPU, count, single)


@given(fleets(), KINDS, SMALL, st.integers(1, 3))
def test_a_set_on_so_many_machines_fits_where_so_many_do(machines, kind, count, nodes):
    fleet = fleet_of(machines)
    report = fit_report(cards(count, kind, nodes=nodes), fleet)
    said = list(by_node(report).values())

    expected = (
        True if said.count(True) >= nodes else None if said.count(False) <= len(said) - nodes else False
    )
    assert fits(report) is expected
    assert not (fits(report) and report.remedies)


@given(troubled_fleets(), KINDS, SMALL)
def test_no_machine_is_said_to_do_while_who_decides_is_silent(machines, kind, count):
    for one in judged(machines, cards(count, kind), view_of(machines)):
        parts = (one.node.kubernetes, one.node.record, one.node.pods)
        if any(isinstance(part, Unknown) for part in parts):
            assert one.verdict.fits is not True


@given(st.data(), st.integers(1, 8), st.integers(1, 3))
def test_it_fits_once_everything_was_done_that_was_said(data, count, wanted):
    names = [f"gpu-{at}" for at in range(4)]
    nodes = [
        a_node(
            name, cordoned=data.draw(st.booleans()), taints=data.draw(st.sampled_from([(), ("dedicated",)]))
        )
        for name in names
    ]
    amounts = st.lists(st.integers(1, 4), max_size=3).filter(lambda held: sum(held) <= 8)
    pods = [
        a_pod(f"work-{at}", name, {GPU: amount}, terminating=data.draw(st.booleans()))
        for name in names
        for at, amount in enumerate(data.draw(amounts))
    ]
    pods = [replace(one, name=f"{one.name}-{one.node_name}", uid=one.node_name + one.name) for one in pods]
    ask = cards(count, nodes=wanted)
    report = fit_report(ask, a_fleet(nodes, pods))

    done = {(one.action, one.subject) for one in report.remedies}
    ids = {one.node.name: one.node.id for one in report.nodes}
    after = [
        replace(
            node,
            cordoned=node.cordoned and (RemedyAction.UNCORDON, ids[node.name]) not in done,
            taints=() if (RemedyAction.ADD_TOLERATION, ids[node.name]) in done else node.taints,
        )
        for node in nodes
    ]
    left = [one for one in pods if one.id not in {subject for _, subject in done}]
    assert fits(fit_report(ask, a_fleet(after, left))) is True
