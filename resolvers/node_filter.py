"""Which machines a filter lets through: what is not known is neither true nor false."""

from collections.abc import Callable, Collection, Iterable, Iterator

from gateway.fleet.alert import AlertKind
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.selector import LabelSelector
from gateway.fleet.selector_grammar import parse_selector
from gateway.fleet.sums import first_unknown
from gateway.fleet.terms import target_of
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.inputs import NodeFilter
from resolvers.node import holder

Condition = Callable[[Node], bool | Unknown]
Fact = Callable[[Node], object]


def chosen_nodes(nodes: Iterable[Node], wanted: NodeFilter, fleet: Fleet) -> list[Node] | Unknown:
    """The machines that a filter lets through; where only a silent system could tell, its silence."""
    conditions = tuple(_conditions(wanted, fleet))
    by_record = wanted.targets is not None or wanted.tenants is not None or wanted.unassigned
    records = first_unknown(fleet.platform) if by_record else None
    if records:
        return records
    judged = [(node, _verdict(node, conditions)) for node in nodes]
    silence = first_silence(verdict for _, verdict in judged)
    return silence or [node for node, verdict in judged if verdict is True]


def first_silence(values: Iterable[object]) -> Unknown | None:
    """One of the silences among these values, the same in every replica."""
    silences = (one for one in values if isinstance(one, Unknown) and one.is_silence)
    return min(silences, key=lambda one: (one.system.value, one.place, one.reason), default=None)


def _verdict(node: Node, conditions: Iterable[Condition]) -> bool | Unknown:
    """Out where one is false, whatever else is not known."""
    unknown: list[Unknown] = []
    for condition in conditions:
        said = condition(node)
        if said is False:
            return False
        if isinstance(said, Unknown):
            unknown.append(said)
    return first_unknown(*unknown) or True


def _conditions(wanted: NodeFilter, fleet: Fleet) -> Iterator[Condition]:
    if not wanted.include_non_gpu:
        yield lambda node: node.is_gpu_node
    if wanted.unassigned:
        yield lambda node: not holder(node)
    for alternatives, fact in _alternatives(wanted):
        if alternatives is not None:
            yield _one_of(alternatives, fact)
    yield from _of_several_parts(wanted, fleet)


def _of_several_parts(wanted: NodeFilter, fleet: Fleet) -> Iterator[Condition]:
    """What more than one fact of a machine decides."""
    if wanted.mig_profiles is not None:
        yield _cut_into(wanted.mig_profiles)
    if wanted.label_selector is not None:
        yield _selected(parse_selector(wanted.label_selector))
    if wanted.alerts is not None:
        yield _alerted(wanted.alerts, fleet)


def _alerted(kinds: Collection[AlertKind], fleet: Fleet) -> Condition:
    """Machines that an open alert of any of these kinds is about."""
    alerts = (alert for alert in fleet.alerts.rows.values() if alert.is_open and alert.finding.kind in kinds)
    subjects = {alert.finding.subject for alert in alerts}
    return lambda node: node.id in subjects


def _alternatives(wanted: NodeFilter) -> Iterator[tuple[Collection[object] | None, Fact]]:
    """What may be, and what is."""
    yield wanted.names, lambda node: node.name
    yield wanted.targets, target_of
    yield wanted.tenants, holder
    yield wanted.gpu_types, _type_name
    yield _only(wanted.healthy), _healthy
    yield _only(wanted.cordoned), _cordoned
    yield _only(wanted.busy), lambda node: node.busy


def _only(value: bool | None) -> tuple[bool] | None:  # noqa: FBT001 - it is what a caller asks for
    return None if value is None else (value,)


def _one_of(alternatives: Collection[object], fact: Fact) -> Condition:
    def condition(node: Node) -> bool | Unknown:
        value = fact(node)
        return value if isinstance(value, Unknown) else value in alternatives

    return condition


def _cut_into(profiles: Collection[str]) -> Condition:
    def condition(node: Node) -> bool | Unknown:
        groups = node.mig_slices
        if isinstance(groups, Unknown):
            return groups
        return any(group.profile.name in profiles for group in groups or ())

    return condition


def _selected(selector: LabelSelector) -> Condition:
    def condition(node: Node) -> bool | Unknown:
        part = node.kubernetes
        if isinstance(part, Unknown):
            return part
        return part is not None and selector.matches(part.labels)

    return condition


def _type_name(node: Node) -> Maybe[str]:
    kind = node.gpus.type if isinstance(node.gpus, NodeGpus) else node.gpus
    return kind.name if isinstance(kind, GpuType) else kind


def _healthy(node: Node) -> Maybe[bool]:
    return node.health.healthy if isinstance(node.health, NodeHealth) else node.health


def _cordoned(node: Node) -> Maybe[bool]:
    return node.kubernetes.cordoned if isinstance(node.kubernetes, KubernetesNode) else node.kubernetes
