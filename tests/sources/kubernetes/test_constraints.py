import pytest

from gateway.fleet.constraints import (
    UNCONSTRAINED,
    Constraints,
    HostPort,
    NodeTerm,
    PodTerm,
    Spread,
    Toleration,
    Volume,
)
from gateway.fleet.selector import LabelSelector, Operator, Requirement
from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.pods import pods
from tests.sources.kubernetes.reading import read

PODS = pods("fleet")
ALIKE = {"matchLabels": {"app": "llm"}}


def constraints(**spec):
    pod, problems = read(PODS, {"metadata": {"name": "ask", "namespace": "vision"}, "spec": spec})
    assert problems == []
    return pod.constraints


def selects(key, operator, *values):
    return LabelSelector(requirements=(Requirement(key=key, operator=operator, values=frozenset(values)),))


def test_reads_nothing_where_nothing_is_demanded():
    assert constraints() == UNCONSTRAINED
    assert constraints(tolerations=None, nodeSelector={}, affinity={}, volumes=[]) == UNCONSTRAINED


def test_reads_tolerations_with_their_defaults():
    told = constraints(
        tolerations=[{"key": "team", "value": "a", "effect": "NoSchedule"}, {"operator": "Exists"}]
    )

    assert told.tolerations == (
        Toleration(key="team", operator="Equal", value="a", effect="NoSchedule"),
        Toleration(key="", operator="Exists", value="", effect=""),
    )


def test_reads_what_nodes_it_wants():
    term = {
        "matchExpressions": [{"key": "memory", "operator": "Gt", "values": ["40000"]}],
        "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a", "b"]}],
    }
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term, {}]}}
    told = constraints(nodeSelector={"kind": "h100"}, affinity={"nodeAffinity": required})

    name = Requirement(key="metadata.name", operator=Operator.NOT_IN, values=frozenset({"a", "b"}))
    assert told.node_selector == selects("kind", Operator.IN, "h100")
    assert told.node_terms == (
        NodeTerm(labels=selects("memory", Operator.GREATER_THAN, "40000"), names=(name,)),
        NodeTerm(labels=LabelSelector(requirements=())),
    )


def test_reads_what_pods_it_wants_beside_it_and_not():
    beside = {"topologyKey": "zone", "labelSelector": ALIKE, "namespaces": ["data"]}
    apart = {"topologyKey": "host", "namespaceSelector": {}}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    told = constraints(affinity={"podAffinity": {required: [beside]}, "podAntiAffinity": {required: [apart]}})

    everywhere = LabelSelector(requirements=())
    assert told.beside == (
        PodTerm(
            selector=selects("app", Operator.IN, "llm"),
            namespaces=frozenset({"data"}),
            namespace_selector=None,
            topology_key="zone",
        ),
    )
    assert told.apart == (
        PodTerm(selector=None, namespaces=frozenset(), namespace_selector=everywhere, topology_key="host"),
    )


def test_leaves_out_what_is_only_preferred():
    soft = {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
    preferred = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}}

    assert constraints(topologySpreadConstraints=[soft], affinity=preferred) == UNCONSTRAINED


def test_reads_how_it_is_spread():
    rule = {"topologyKey": "zone", "maxSkew": 2, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": ALIKE}
    policies = {"nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor"}
    told = constraints(
        topologySpreadConstraints=[rule, {**rule, **policies, "minDomains": 3, "matchLabelKeys": ["x"]}]
    )

    alike = selects("app", Operator.IN, "llm")
    plain = {"topology_key": "zone", "max_skew": 2, "selector": alike}
    assert told.spread == (
        Spread(**plain, least_domains=1, same_value_of=(), heeds_affinity=True, heeds_taints=False),
        Spread(**plain, least_domains=3, same_value_of=("x",), heeds_affinity=False, heeds_taints=True),
    )


def test_reads_ports_of_the_node_alone():
    ports = [{"containerPort": 80}, {"containerPort": 80, "hostPort": 9400}]
    sidecar = {
        "restartPolicy": "Always",
        "ports": [{"hostPort": 53, "protocol": "UDP", "hostIP": "10.0.0.1"}],
    }
    told = constraints(containers=[{"ports": ports}], initContainers=[sidecar, {"ports": [{"hostPort": 1}]}])

    assert told.host_ports == (
        HostPort(address="0.0.0.0", protocol="TCP", port=9400),  # noqa: S104  compared, not bound
        HostPort(address="10.0.0.1", protocol="UDP", port=53),
    )


VOLUMES = [
    {"name": "token", "projected": {"sources": []}},
    {"name": "data", "persistentVolumeClaim": {"claimName": "datasets"}},
    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}},
    {"name": "disk", "rbd": {"image": "disk"}},
]


def test_reads_volumes_that_bind_it_to_nodes_while_it_waits():
    assert constraints(volumes=VOLUMES).volumes == (
        Volume(claim="datasets"),
        Volume(claim="ask-scratch", ephemeral=True),
        Volume(claim=None),
    )
    assert constraints(volumes=VOLUMES, nodeName="gpu-01").volumes == ()


def test_sees_claims_of_devices():
    assert constraints(resourceClaims=[{"name": "gpu"}]).claims_devices
    assert not constraints(resourceClaims=[]).claims_devices


@pytest.mark.parametrize(
    "spec",
    [
        {"tolerations": 5},
        {
            "affinity": {
                "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": 5}}
            }
        },
        {"volumes": [5]},
        {"topologySpreadConstraints": [{"topologyKey": "zone"}]},
        {
            "affinity": {
                "podAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "topologyKey": "a",
                            "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]},
                        }
                    ]
                }
            }
        },
    ],
)
def test_a_part_that_cannot_be_read_leaves_open_where_it_may_run(spec):
    told = constraints(**spec)

    assert isinstance(told, Unknown)
    assert told.reason.startswith("where the pod may run cannot be read: ")


def test_pods_that_demand_the_same_share_it():
    spec = {"tolerations": [{"operator": "Exists"}], "volumes": VOLUMES[1:2]}

    assert constraints(**spec) is constraints(**spec)
    assert isinstance(constraints(**spec), Constraints)


def test_pods_that_are_labelled_alike_share_their_labels():
    body = {"metadata": {"name": "a", "namespace": "vision", "labels": {"app": "llm"}}, "spec": {}}
    (one, _), (another, _) = read(PODS, body), read(PODS, body)

    assert dict(one.labels) == {"app": "llm"}
    assert one.labels is another.labels
