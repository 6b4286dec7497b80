from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.condition import Condition
from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.scheduling.view import view_of
from gateway.fleet.unknown import Unknown
from tests.builders import NOON, a_record
from tests.fleet.scheduling.scenes import any_of, expression, node, pod, pod_terms, said
from tests.fleets import a_machine, silence

CORDONED = ["node(s) were unschedulable"]


@pytest.mark.parametrize(
    "spec",
    [
        {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]},
        {"volumes": [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}}]},
        {"volumes": [{"name": "disk", "iscsi": {"iqn": "iqn.2001-04.com.example:disk"}}]},
        {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]},
        {"affinity": {"nodeAffinity": 5}},
        {"tolerations": [{"key": 5}]},
        any_of(*[{"matchExpressions": [expression("zone", "Exists")]}] * 101),
        pod_terms("podAntiAffinity", *[{"topologyKey": "zone"}] * 101),
    ],
)
def test_never_guesses_where_what_decides_is_not_modelled_or_not_readable(spec):
    assert said(pod(**spec), [node()]) == {"gpu-01": None}


def test_volumes_that_bind_to_no_node_do_not_matter():
    volumes = [
        {"name": "token", "projected": {}},
        {"name": "tmp", "emptyDir": {}},
        {"name": "home", "nfs": {}},
    ]

    assert said(pod(volumes=volumes), [node()]) == {"gpu-01": True}


def test_what_is_not_modelled_does_not_hide_a_refusal():
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]

    assert said(pod(volumes=volumes), [node(cordoned=True)]) == {"gpu-01": CORDONED}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('persistentvolumeclaim "data" not found. not found', None),
        ("pod has unbound immediate PersistentVolumeClaims. not found", None),
        ("request gpu: device class h100 does not exist. still not schedulable, preemption: none", None),
        ("1 node(s) were unschedulable. no new claims to deallocate, preemption: none", CORDONED),
        ("1 node(s) had volume node affinity conflict, 1 node(s) were unschedulable.", CORDONED),
    ],
)
def test_what_the_scheduler_said_before_it_looked_at_nodes_hides_what_is_wrong_with_them(text, answer):
    message = f"0/{text.count('node(s)') or 1} nodes are available: {text}"
    told = Condition(type="PodScheduled", status="False", reason="Unschedulable", message=message, since=NOON)

    assert said(replace(pod(), turned_down=told), [node(cordoned=True)]) == {"gpu-01": answer}


def test_a_machine_that_kubernetes_does_not_know_is_no_node():
    assert verdicts(pod(), view_of([a_machine(record=a_record())])) == ()


def test_nobody_can_say_of_a_node_that_is_silent():
    machine = a_machine(kubernetes=silence(System.KUBERNETES), record=a_record())

    (verdict,) = verdicts(pod(), view_of([machine]))

    assert isinstance(verdict.fits, Unknown)
    assert verdict.fits.is_silence


def test_without_pods_only_what_needs_none_is_judged():
    silent = silence(System.KUBERNETES)
    machines = [a_machine(node("a", cordoned=True), pods=silent), a_machine(node("b"), pods=silent)]

    refused, unknown = verdicts(pod(), view_of(machines))

    assert ([reason.text for reason in refused.reasons], refused.fits) == (CORDONED, False)
    assert unknown.fits == silent
