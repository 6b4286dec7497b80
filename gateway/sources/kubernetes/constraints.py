"""Reads what pods demand of their nodes; pods that demand the same share it, for there may be 100,000."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from gateway.errors import System
from gateway.fleet.constraints import Constraints, HostPort, NodeTerm, PodTerm, Spread, Toleration, Volume
from gateway.fleet.selector import LabelSelector, Operator, Requirement
from gateway.fleet.unknown import Unknown, undetermined
from gateway.sources.kubernetes.decoding import UNREADABLE

_Text = str | None


class RawConstraints(NamedTuple):
    """The JSON of everything in a pod that says where it may run."""

    tolerations: bytes = b"null"
    node_selector: bytes = b"null"
    affinity: bytes = b"null"
    spread: bytes = b"null"
    ports: tuple[bytes, ...] = ()
    """Of the containers that stay."""
    claims_devices: bool = False


class _Toleration(msgspec.Struct):
    key: _Text = None
    operator: _Text = None
    value: _Text = None
    effect: _Text = None


class _Expression(msgspec.Struct):
    key: str
    operator: str
    values: list[str] | None = None


class _NodeTerm(msgspec.Struct, rename="camel"):
    match_expressions: list[_Expression] | None = None
    match_fields: list[_Expression] | None = None


class _NodeSelector(msgspec.Struct, rename="camel"):
    node_selector_terms: list[_NodeTerm] | None = None


class _NodeAffinity(msgspec.Struct):
    required: _NodeSelector | None = msgspec.field(
        name="requiredDuringSchedulingIgnoredDuringExecution", default=None
    )


class _LabelSelector(msgspec.Struct, rename="camel"):
    match_labels: dict[str, str] | None = None
    match_expressions: list[_Expression] | None = None


class _PodTerm(msgspec.Struct, rename="camel"):
    topology_key: str
    label_selector: _LabelSelector | None = None
    namespaces: list[str] | None = None
    namespace_selector: _LabelSelector | None = None


class _PodAffinity(msgspec.Struct):
    required: list[_PodTerm] | None = msgspec.field(
        name="requiredDuringSchedulingIgnoredDuringExecution", default=None
    )


class _Affinity(msgspec.Struct, rename="camel"):
    node_affinity: _NodeAffinity | None = None
    pod_affinity: _PodAffinity | None = None
    pod_anti_affinity: _PodAffinity | None = None


class _Spread(msgspec.Struct, rename="camel"):
    max_skew: int
    topology_key: str
    when_unsatisfiable: str
    label_selector: _LabelSelector | None = None
    min_domains: int | None = None
    match_label_keys: list[str] | None = None
    node_affinity_policy: _Text = None
    node_taints_policy: _Text = None


class _Port(msgspec.Struct):
    host_port: int | None = msgspec.field(name="hostPort", default=None)
    host_ip: _Text = msgspec.field(name="hostIP", default=None)
    protocol: _Text = None


_TOLERATIONS = msgspec.json.Decoder(list[_Toleration] | None)
_NODE_LABELS = msgspec.json.Decoder(dict[str, str] | None)
_AFFINITY = msgspec.json.Decoder(_Affinity | None)
_SPREAD = msgspec.json.Decoder(list[_Spread] | None)
_PORTS = msgspec.json.Decoder(list[_Port] | None)
_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
    "Gt": Operator.GREATER_THAN,
    "Lt": Operator.LESS_THAN,
}


def read_constraints(raw: RawConstraints, volumes: Iterable[Volume]) -> Constraints | Unknown:
    """Read where a pod may run; unknown where a part of that cannot be read, for any part may forbid."""
    try:
        return _constraints(raw, tuple(volumes))
    except UNREADABLE as error:
        return undetermined(System.KUBERNETES, f"where the pod may run cannot be read: {error}")


@lru_cache(maxsize=4096)
def _constraints(raw: RawConstraints, volumes: tuple[Volume, ...]) -> Constraints:
    affinity = _AFFINITY.decode(raw.affinity) or _Affinity()
    return Constraints(
        tolerations=tuple(_toleration(one) for one in _TOLERATIONS.decode(raw.tolerations) or ()),
        node_selector=_selector(_LabelSelector(match_labels=_NODE_LABELS.decode(raw.node_selector))),
        node_terms=_node_terms(affinity.node_affinity),
        host_ports=tuple(_host_ports(raw.ports)),
        spread=tuple(_spreads(_SPREAD.decode(raw.spread) or ())),
        beside=_pod_terms(affinity.pod_affinity),
        apart=_pod_terms(affinity.pod_anti_affinity),
        volumes=volumes,
        claims_devices=raw.claims_devices,
    )


def _toleration(one: _Toleration) -> Toleration:
    return Toleration(
        key=one.key or "",
        operator=one.operator or "Equal",
        value=one.value or "",
        effect=one.effect or "",
    )


def _node_terms(affinity: _NodeAffinity | None) -> tuple[NodeTerm, ...] | None:
    if affinity is None or affinity.required is None:
        return None
    return tuple(
        NodeTerm(
            labels=LabelSelector(requirements=tuple(_requirements(term.match_expressions))),
            names=tuple(_requirements(term.match_fields)),
        )
        for term in affinity.required.node_selector_terms or ()
    )


def _selector(told: _LabelSelector) -> LabelSelector:
    equal = (
        Requirement(key=key, operator=Operator.IN, values=frozenset({value}))
        for key, value in (told.match_labels or {}).items()
    )
    return LabelSelector(requirements=(*equal, *_requirements(told.match_expressions)))


def _maybe_selector(told: _LabelSelector | None) -> LabelSelector | None:
    return None if told is None else _selector(told)


def _requirements(expressions: Iterable[_Expression] | None) -> Iterator[Requirement]:
    for one in expressions or ():
        operator = _OPERATORS.get(one.operator)
        if operator is None:
            raise ValueError(f"{one.operator!r} is no operator of a selector")
        yield Requirement(key=one.key, operator=operator, values=frozenset(one.values or ()))


def _pod_terms(affinity: _PodAffinity | None) -> tuple[PodTerm, ...]:
    return tuple(
        PodTerm(
            selector=_maybe_selector(term.label_selector),
            namespaces=frozenset(term.namespaces or ()),
            namespace_selector=_maybe_selector(term.namespace_selector),
            topology_key=term.topology_key,
        )
        for term in (affinity.required if affinity else None) or ()
    )


def _spreads(constraints: Iterable[_Spread]) -> Iterator[Spread]:
    for one in constraints:
        if one.when_unsatisfiable != "ScheduleAnyway":
            yield Spread(
                topology_key=one.topology_key,
                max_skew=one.max_skew,
                least_domains=one.min_domains or 1,
                selector=_maybe_selector(one.label_selector),
                same_value_of=tuple(one.match_label_keys or ()),
                heeds_affinity=one.node_affinity_policy != "Ignore",
                heeds_taints=one.node_taints_policy == "Honor",
            )


def _host_ports(containers: Iterable[bytes]) -> Iterator[HostPort]:
    for raw in containers:
        for port in _PORTS.decode(raw) or ():
            if port.host_port:
                address, protocol = port.host_ip or "0.0.0.0", port.protocol or "TCP"  # noqa: S104  compared, not bound
                yield HostPort(address=address, protocol=protocol, port=port.host_port)
