"""Reads Slurm's nodes."""

import msgspec

from gateway.fleet.slurm import SlurmGres, SlurmNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from gateway.sources.slurm.gres import Gres, read_gres, used_of
from gateway.sources.slurm.reading import Reading, read_text, read_texts
from gateway.sources.slurm.shapes import NodeShape
from gateway.sources.slurm.upgrades import upgrade_node
from gateway.sources.sync import Item, Problem

_NOT_TOLD = ("UNKNOWN",)
_MOST_ON_A_NODE = 1_024
"""More than that is no count of devices, whatever it is."""


class _Pod(msgspec.Struct):
    """What slurm-operator (v1beta1) writes into the comment of a slurmd that runs in a pod."""

    pod_name: str = msgspec.field(name="podName")
    node: str


_POD = msgspec.json.Decoder(_Pod)


def read_node(text: msgspec.Raw, version: int, slurm_cluster: str, place: int) -> Item[SlurmNode]:
    """Read one node; `place` names it where it does not say its name."""
    try:
        node = upgrade_node(msgspec.json.decode(text, type=NodeShape), version)
        name = read_text(node.name)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        subject = f"nodes[{place}]"
        problem = Problem("", bytes(text).decode(errors="replace"), f"is no node of Slurm: {error}")
        return Item(key=subject, subject=subject, record=None, problems=(problem,))
    reading = Reading()
    record = _record(node, name, slurm_cluster, reading)
    return Item(key=name, subject=f"nodes/{name}", record=record, problems=reading.problems)


def _record(node: NodeShape, name: str, slurm_cluster: str, reading: Reading) -> SlurmNode:
    states = reading.read("state", node.state, _states)
    reason = reading.read("reason", node.reason, read_text)
    reason_by = reading.read("reason_set_by_user", node.reason_set_by_user, read_text)
    partitions = reading.read("partitions", node.partitions, read_texts)
    told = not isinstance(reason, Unknown) and reason != ""
    return SlurmNode(
        slurm_cluster=slurm_cluster,
        name=name,
        states=_NOT_TOLD if isinstance(states, Unknown) else states,
        reason=reason if told and isinstance(reason, str) else None,
        # 22.05 and 24.11 keep the name after the reason is gone.
        reason_by=reason_by if told and isinstance(reason_by, str) and reason_by else None,
        partitions=() if isinstance(partitions, Unknown) else partitions,
        gres=_gres(node, reading),
        host=_host(node.comment, name),
    )


def _host(comment: object, name: str) -> str | None:
    """The machine whose pod a node runs in; any other comment tells nothing."""
    try:
        host = _POD.decode(comment if isinstance(comment, str) else "").node
    except (msgspec.MsgspecError, RecursionError):
        return None
    return None if host in {"", name} else host


def _states(value: object) -> tuple[str, ...]:
    states = tuple(sorted({word.upper() for word in read_texts(value)}))
    if not states:
        raise ValueError("is empty")
    return states


def _gres(node: NodeShape, reading: Reading) -> tuple[SlurmGres, ...]:
    configured = reading.read("gres", node.gres, _counts)
    if isinstance(configured, Unknown):
        return (SlurmGres(name="gpu", type=None, unit=GpuUnit.CARD, configured=configured, used=configured),)
    if not configured:
        return ()
    used = reading.read("gres_used", node.gres_used, _counts)
    return tuple(
        SlurmGres(
            name=gres.name,
            type=gres.type,
            unit=gres.unit,
            configured=count,
            used=used if isinstance(used, Unknown) else _used(gres, configured, used, node, reading),
        )
        for gres, count in sorted(configured.items(), key=lambda item: item[0].resource)
    )


def _used(
    gres: Gres, configured: dict[Gres, int], used: dict[Gres, int], node: NodeShape, reading: Reading
) -> int | Unknown:
    count = used_of(gres, configured, used)
    if count is None:
        return reading.problem("gres_used", node.gres_used, f"does not tell of {gres.resource}")
    return count


def _counts(value: object) -> dict[Gres, int]:
    counts = read_gres(read_text(value))
    for gres, count in counts.items():
        if count > _MOST_ON_A_NODE:
            raise ValueError(f"says {count} of {gres.resource}, which is no count of devices on a node")
    return counts
