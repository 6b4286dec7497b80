"""Reads pod groups."""

from functools import partial

import msgspec

from gateway.fleet.queue import PodGroup
from gateway.sources.kubernetes.conditions import RawCondition, read_conditions
from gateway.sources.kubernetes.decoding import decode_object, read_time
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem
from gateway.sources.volcano.queues import GROUP, read_amounts

_VITAL = ("spec.queue", "spec.minMember", "spec.minResources", "status.phase")


class _Metadata(msgspec.Struct):
    name: str
    namespace: str
    uid: str = ""
    created: str | None = msgspec.field(name="creationTimestamp", default=None)


class _Spec(msgspec.Struct):
    queue: str = ""
    min_member: int = msgspec.field(name="minMember", default=0)
    min_resources: dict[str, msgspec.Raw] | None = msgspec.field(name="minResources", default=None)
    min_tasks: dict[str, int] | None = msgspec.field(name="minTaskMember", default=None)


class _Status(msgspec.Struct):
    phase: str = ""
    conditions: list[RawCondition] | None = None


class _PodGroup(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec | None = None
    status: _Status | None = None


_POD_GROUP = msgspec.json.Decoder(_PodGroup)


def pod_groups(cluster: str) -> Kind[PodGroup]:
    """The pod groups of a cluster, where it has Volcano."""
    path = f"{GROUP}/podgroups"
    return Kind(path=path, read=partial(read_pod_group, cluster), namespaced=True, optional=True)


def read_pod_group(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> PodGroup:
    """Read one pod group."""
    group = decode_object(_POD_GROUP, raw, problems, vital=_VITAL)
    spec, status = group.spec or _Spec(), group.status or _Status()
    created = read_time(group.metadata.created, "metadata.creationTimestamp", problems)
    return PodGroup(
        cluster=cluster,
        namespace=group.metadata.namespace,
        name=group.metadata.name,
        queue_name=spec.queue or "default",  # what Volcano takes an empty one for
        phase=status.phase or "Pending",
        min_member=spec.min_member,
        conditions=read_conditions(status.conditions, problems),
        min_resources=read_amounts(spec.min_resources, "spec.minResources", problems) or (),
        created_at=created,
        uid=group.metadata.uid,
        min_tasks=tuple(sorted((spec.min_tasks or {}).items())),
    )
