"""Rows come, go and change between pages: each that stays as it is is shown once, and none comes twice."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.fleet.alert import NO_ALERTS, Alert, AlertKind, Finding, Severity
from gateway.fleet.entity import EntityKind, entity_id
from tests.asking import Gateway
from tests.builders import CLUSTER, NOON, a_job, a_node, a_pod, a_record, a_workspace, some_records
from tests.fleets import FRESH, NODES, PODS, RECORDS, SLURM_JOBS, a_keeper
from tests.gpu_labels import mixed, whole

NAMES = [str(number) for number in range(1, 25)]
CONTENTS = st.frozensets(st.sampled_from(NAMES), max_size=16)
MOMENTS = st.lists(CONTENTS, min_size=1, max_size=6)
"""What is there when each page is asked for, and from then on."""
CARDS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([1, 2, 4, 8, "?"]), max_size=16)


def asked(of, arguments="", shown="name", around="%s"):
    """The query for one page of a list."""
    page = f"{of}(first: $first, after: $after{arguments}) {{ nodes {{ {shown} }} pageInfo {{ endCursor }} }}"
    return "query ($first: Int!, $after: String) {" + around % page + "}"


def innermost(data):
    """The page in an answer, however deep it is."""
    while "pageInfo" not in data:
        (data,) = data.values()
    return data


def a_page(gateway, query, first=1_000, after=None):
    found = innermost(gateway.data(query, first=first, after=after))
    return [str(row) for row in found["nodes"]], found["pageInfo"]["endCursor"]


def walk(keeper, query, tell, moments, first):
    """Go through a list page by page while its contents change, and on until its end."""
    gateway, shown, cursor = Gateway(keeper), [], None
    coming = iter(moments)
    while True:
        contents = next(coming, None)
        if contents is not None:
            tell(keeper, contents)
        rows, after = a_page(gateway, query, first, cursor)
        shown += rows
        cursor = after or cursor
        if contents is None and not rows:
            return shown


def told_of_nodes(keeper, names):
    keeper.replace(NODES, {name: a_node(name) for name in names}, FRESH)


def told_of_slices(keeper, names):
    cut = {"nvidia.com/mig-1g.10gb": 7, "nvidia.com/mig-3g.40gb": 2}
    keeper.replace(NODES, {name: a_node(name, labels=mixed(2), capacity=cut) for name in names}, FRESH)


def told_of_pods(keeper, names):
    keeper.replace(PODS, {("training", name): a_pod(name) for name in names}, FRESH)


def told_of_jobs(keeper, names):
    keeper.replace(SLURM_JOBS, {name: a_job(name) for name in names}, FRESH)


def told_of_alerts(keeper, names):
    keeper.publish(NO_ALERTS.changed({name: an_alert(name) for name in names}))


def an_alert(name):
    """One of some severity, from some time on."""
    finding = Finding(
        kind=AlertKind.ORPHANED_RECORD,
        severity=list(Severity)[int(name) % len(Severity)],
        subject=entity_id(EntityKind.NODE, CLUSTER, name),
        subject_name=name,
        cluster=CLUSTER,
        tenant="vision",
        message="gone",
        claim=None,
        evidence=(),
        remedies=(),
    )
    seen = NOON + timedelta(minutes=int(name) % 5)
    return Alert(id=finding.id, finding=finding, first_seen=seen, last_seen=seen)


def told_of_held_nodes(keeper, names):
    tell_records(keeper, [a_record(name) for name in names], [a_workspace()])


def told_of_tenants(keeper, names):
    tell_records(keeper, [], [a_workspace(tenant=name) for name in names])


def told_of_workspaces(keeper, names):
    tell_records(keeper, [a_record()], [a_workspace(name) for name in names])


def tell_records(keeper, nodes, workspaces):
    records = some_records(nodes=nodes, workspaces=workspaces)
    keeper.replace(RECORDS, {"records": records}, FRESH)


IN_CLUSTER = 'cluster(name: "fleet") { %s }'
OF_TENANT = 'tenant(name: "vision") { %s }'
OF_WORKSPACE = 'workspace(tenant: "vision", name: "training") { %s }'
OF_NODE = 'node(cluster: "fleet", name: "gpu-01") { %s }'
LAST_FIRST = ", orderBy: {by: NAME, direction: DESC}"
LISTS = {
    "machines": (asked("nodes", around=IN_CLUSTER), told_of_nodes),
    "machines, last first": (asked("nodes", LAST_FIRST, around=IN_CLUSTER), told_of_nodes),
    "machines of a filter": (
        asked("nodes", ', filter: {labelSelector: "nvidia.com/gpu.count=8"}', around=IN_CLUSTER),
        told_of_nodes,
    ),
    "slices": (
        asked("migSlices", shown="node { name } profile { name }", around=IN_CLUSTER),
        told_of_slices,
    ),
    "pods": (asked("pods", around=IN_CLUSTER), told_of_pods),
    "jobs": (asked("slurmJobs", shown="jobId", around=IN_CLUSTER), told_of_jobs),
    "pods of a machine": (asked("pods", around=OF_NODE), told_of_pods),
    "pods of a workspace": (asked("pods", around=OF_WORKSPACE), told_of_pods),
    "tenants": (asked("tenants"), told_of_tenants),
    "machines of a tenant": (asked("nodes", around=OF_TENANT), told_of_held_nodes),
    "alerts": (asked("alerts", shown="subjectName"), told_of_alerts),
    "alerts of a cluster": (asked("alerts", shown="subjectName", around=IN_CLUSTER), told_of_alerts),
    "alerts of a tenant": (asked("alerts", shown="subjectName", around=OF_TENANT), told_of_alerts),
    "workspaces of a tenant": (asked("workspaces", around=OF_TENANT), told_of_workspaces),
}


def a_keeper_with_a_workspace():
    return a_keeper(nodes=[a_node()], records=some_records(nodes=[a_record()], workspaces=[a_workspace()]))


@pytest.mark.parametrize("name", LISTS)
@settings(max_examples=20)
@given(moments=MOMENTS, first=st.integers(1, 6))
def test_what_comes_and_goes_neither_repeats_nor_hides_others(name, moments, first):
    query, tell = LISTS[name]
    keeper = a_keeper_with_a_workspace()
    rows_at = []
    for contents in moments:
        tell(keeper, contents)
        rows_at.append(a_page(Gateway(keeper), query)[0])
    in_order = rows_at[-1]
    stayed = set(in_order).intersection(*rows_at)

    shown = walk(keeper, query, tell, moments, first)

    assert len(shown) == len(set(shown))
    assert [row for row in shown if row in stayed] == [row for row in in_order if row in stayed]


def told_of_cards(keeper, cards):
    keeper.replace(NODES, {name: a_node(name, labels=whole(count)) for name, count in cards.items()}, FRESH)


@pytest.mark.parametrize("direction", ["ASC", "DESC"])
@pytest.mark.parametrize("by", ["CARDS", "FREE_CARDS"])
@settings(max_examples=25)
@given(moments=st.lists(CARDS, min_size=1, max_size=6), first=st.integers(1, 6))
def test_a_number_that_changes_moves_its_machine_and_no_other(by, direction, moments, first):
    query = asked("nodes", f", orderBy: {{by: {by}, direction: {direction}}}", around=IN_CLUSTER)
    keeper = a_keeper()
    told_of_cards(keeper, moments[-1])
    in_order, _ = a_page(Gateway(keeper), query)
    steady = set(moments[0].items()).intersection(*(moment.items() for moment in moments))
    stayed = {str({"name": name}) for name, _ in steady}

    shown = walk(keeper, query, told_of_cards, moments, first)

    assert [row for row in shown if row in stayed] == [row for row in in_order if row in stayed]
