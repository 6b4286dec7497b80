"""Reads a pod as the reconciler needs it: whether it holds a GPU, and what comes of its eviction."""

from datetime import datetime

import msgspec

from gateway.fleet.live import LivePod
from gateway.sources.kubernetes.pods import read_pod

_MIRROR = "kubernetes.io/config.mirror"


class _Metadata(msgspec.Struct):
    annotations: dict[str, str] | None = None
    finalizers: list[str] | None = None


class _Spec(msgspec.Struct):
    claims: list[msgspec.Raw] | None = msgspec.field(name="resourceClaims", default=None)


class _Condition(msgspec.Struct):
    type: str
    status: str


class _Status(msgspec.Struct):
    conditions: list[_Condition] | None = None


class _Pod(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec
    status: _Status | None = None


class RawPods(msgspec.Struct):
    """A list of pods as it is written."""

    items: list[msgspec.Raw]


_POD = msgspec.json.Decoder(_Pod)


def read_live_pod(cluster: str, raw: msgspec.Raw) -> LivePod | None:
    """The pod; None once it has ended, for then it holds nothing.

    Any claim counts as one of a GPU: which devices it stands for is told elsewhere, and may change.
    """
    pod, more = read_pod(cluster, raw, []), _POD.decode(raw)
    if pod.ended:
        return None
    conditions = (more.status and more.status.conditions) or []
    return LivePod(
        id=pod.id,
        namespace=pod.namespace,
        name=pod.name,
        uid=pod.uid,
        holds_gpus=bool(pod.gpus or more.spec.claims),
        owner=pod.controller,
        is_mirror=_MIRROR in (more.metadata.annotations or {}),
        finalizers=tuple(more.metadata.finalizers or ()),
        created_at=pod.created_at if isinstance(pod.created_at, datetime) else None,
        terminating=pod.terminating,
        ready=any(it.type == "Ready" and it.status == "True" for it in conditions),
    )
