"""A pod that waits in a queue of a small cluster, for tests."""

from dataclasses import replace

from immutables import Map

from gateway.fleet.condition import Condition
from gateway.fleet.diagnosis.admission.queue import check_queue
from gateway.fleet.quantity import read_quantity
from gateway.fleet.queue import Queue
from tests.builders import CLUSTER, NOON, a_node, a_pod, a_pod_group
from tests.fleet.diagnosis.admission.events import with_events
from tests.fleets import FRESH, a_keeper
from tests.gpu_labels import GPU
from tests.scheduling import SCHEDULER, a_config, a_scheduler, quantities

SHORT = f"0/1 nodes are unavailable: 1 Insufficient {GPU}."
NOTHING_HELD = {"cpu": "0", "memory": "0"}


def a_queue(name="training", held=None, *, capability=None, deserved=None, guarantee=None, **more):
    """An open queue; without more, one that holds nothing and is not limited."""
    told = {"state": "Open", "parent_name": "root", "reclaimable": True, **more}
    amounts = {"capability": capability, "deserved": deserved, "guarantee": guarantee}
    written = {key: None if one is None else quantities(one) for key, one in amounts.items()}
    return Queue(cluster=CLUSTER, name=name, allocated=quantities(held or NOTHING_HELD), **written, **told)


def a_group(name="gang", queue="training", phase="Inqueue", least=None, **more):
    """A pod group that waits."""
    group = a_pod_group(name, queue, phase)
    return replace(group, min_resources=quantities(least) if least else (), **more)


def waiting(name="work-0", asks=None, group="gang", *, said=SHORT, **more):
    """A pod that its scheduler turned down."""
    pod = a_pod(name, None, asks or {GPU: 4}, phase="Pending", group=group)
    requests = Map({key: read_quantity(str(amount)) for key, amount in (asks or {GPU: 4}).items()})
    told = Condition(type="PodScheduled", status="False", reason="Unschedulable", message=said, since=NOON)
    return replace(pod, requests=requests, turned_down=told, **more)


def running(name, held, group="other", **more):
    """A pod that holds so many cards of gpu-01."""
    pod = a_pod(name, asks={GPU: held}, group=group)
    return replace(pod, requests=Map({GPU: read_quantity(str(held))}), **more)


def a_cluster(pods, groups, queues, *, scheduler=None, nodes=None):
    """A keeper that heard of all of it a moment ago; without more, of one node with eight cards."""
    machines = [roomy(a_node())] if nodes is None else nodes
    keeper = a_keeper(machines, pods, queues=queues, pod_groups=groups)
    keeper.replace(SCHEDULER, {"scheduler": scheduler} if scheduler else {}, FRESH)
    return keeper


def roomy(node, **more):
    """The node with room for pods, and all else that it offers."""
    offered = {one.name: one.allocatable.value for one in node.resources}
    told = {"cpu": 64, "memory": 2**39, "pods": 110, **offered, **more}
    return replace(node, allocatable=Map({key: read_quantity(str(amount)) for key, amount in told.items()}))


FLAT = a_scheduler()
TREE = a_scheduler("v1.15.0", a_config(hierarchy=True))


def judged(groups, queues, *, pod=None, others=(), **more):
    """What is said of the queue of a pod, beside other pods."""
    pod = pod or waiting()
    events = more.pop("events", ())
    keeper = a_cluster([pod, *others], groups, queues, **{"scheduler": FLAT, **more})
    return check_queue(pod, with_events(keeper, events).pin())


def said(step):
    """What a step says, without what shows it."""
    return (step.outcome, step.code, step.finding)
