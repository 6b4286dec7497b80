"""Small clusters as Kubernetes writes them, and what is said of a pod that asks there."""

# ruff: noqa: PLR0913 - a builder takes what an object has

import msgspec

from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.scheduling.view import view_of
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER
from tests.fleets import a_fleet

ROOM = {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "8", "pods": "10"}


def node(name="gpu-01", *, labels=None, taints=(), has=None, cordoned=False):
    """A node; without more, one that has room."""
    raw = {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"taints": list(taints), "unschedulable": cordoned},
        "status": {"allocatable": ROOM if has is None else has},
    }
    return read_node(CLUSTER, msgspec.Raw(msgspec.json.encode(raw)), [])


def pod(
    name="ask", on=None, asks=None, *, labels=None, namespace="vision", leaving=False, phase=None, **spec
):
    """A pod; without more, one that asks for nothing and waits, or runs on a node."""
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "labels": labels or {}}
    container = {"name": "main", "resources": {"requests": asks or {}}, "ports": spec.pop("ports", [])}
    raw = {
        "metadata": {**metadata, "deletionTimestamp": "2026-11-29T12:00:00Z"} if leaving else metadata,
        "spec": {"containers": [container], "nodeName": on, **spec},
        "status": {"phase": phase or ("Running" if on else "Pending")},
    }
    return read_pod(CLUSTER, msgspec.Raw(msgspec.json.encode(raw)), [])


def view(nodes, pods=(), namespaces=None):
    """What a scheduler sees of these."""
    return view_of(a_fleet(nodes, pods).nodes(CLUSTER).values(), namespaces)


def said(ask, nodes, pods=(), namespaces=None):
    """Of each node True, or its reasons, or None where nobody can say."""
    return {one.node: _said(one) for one in verdicts(ask, view(nodes, pods, namespaces))}


def requires(*expressions, fields=()):
    """A spec with one term of required affinity to nodes."""
    return any_of({"matchExpressions": list(expressions), "matchFields": list(fields)})


def any_of(*terms):
    """A spec with several terms."""
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": required}}


def pod_terms(kind, *terms):
    """A spec with required affinity or anti-affinity to pods."""
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}}


def expression(key, operator, *values):
    """A requirement on labels."""
    return {"key": key, "operator": operator, "values": list(values)}


def _said(verdict):
    if verdict.fits is False:
        return [reason.text for reason in verdict.reasons]
    return True if verdict.fits is True else None
