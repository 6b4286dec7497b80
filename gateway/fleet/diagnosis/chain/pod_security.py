"""POD_SECURITY: whether the namespaces of operands let their pods be made."""

from collections.abc import Iterable, Mapping

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.chain.link import Link, broken, passed, untold
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.namespace import NAMESPACES
from gateway.fleet.operand import OPERANDS, Operand, OperandSet
from gateway.fleet.sums import first_unknown

_ENFORCE = "pod-security.kubernetes.io/enforce"
_LESS = frozenset({"baseline", "restricted"})


def pod_security(view: ChainView) -> Link:
    """Judge what is enforced in the namespaces of the operands that this machine needs."""
    see = f"get namespaces -L {_ENFORCE}"
    sets = view.sets(*Operand)
    namespaces = view.fleet.namespaces(view.node.cluster)
    if silent := first_unknown(sets, namespaces):
        return untold(silent, see)
    wanted = [one for one in sets if view.wants(one)] if isinstance(sets, list) else []
    if namespaces is None:
        return untold("what namespaces enforce cannot be seen", see)
    if not wanted:
        return untold(f"no DaemonSet is known to make the GPUs of {view.name} usable", see)
    return refused(view, wanted) or _allowed(view, wanted)


def refused(view: ChainView, sets: Iterable[OperandSet]) -> Link | None:
    """Find a DaemonSet whose pods its namespace does not let be made."""
    for one in sets:
        level = _level(view, one.namespace)
        if one.privileges and level in _LESS:
            return _refused(view, one, level)
    return None


def _refused(view: ChainView, one: OperandSet, level: str) -> Link:
    has = ", ".join(one.privileges)
    said = (
        f"namespace {one.namespace} enforces {level}, under which no pod of {one.where} is made: it has {has}"
    )
    text = f"kubectl label namespace {one.namespace} --overwrite {_ENFORCE}=privileged"
    told = (
        _enforced(view, one.namespace),
        view.told(f"daemonsets/{one.namespace}/{one.name} spec.template.spec", has, OPERANDS),
    )
    return broken(said, f"get namespace {one.namespace} --show-labels", told, view.repair(text))


def _allowed(view: ChainView, sets: list[OperandSet]) -> Link:
    spaces = sorted({one.namespace for one in sets})
    said = f"the operands of {view.name} may be made: no label of {', '.join(spaces)} forbids them"
    return passed(said, f"get namespaces -L {_ENFORCE}", *(_enforced(view, space) for space in spaces))


def _enforced(view: ChainView, namespace: str) -> Evidence:
    return view.told(
        f"namespaces/{namespace} metadata.labels[{_ENFORCE}]", _level(view, namespace), NAMESPACES
    )


def _level(view: ChainView, namespace: str) -> str | None:
    found = view.fleet.namespaces(view.node.cluster)
    space = found.get((view.node.cluster, namespace)) if isinstance(found, Mapping) else None
    return space.labels.get(_ENFORCE) if space else None
