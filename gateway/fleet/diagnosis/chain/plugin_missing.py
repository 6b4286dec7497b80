"""Why no pod of a device plugin is on a machine, as far as that can be told."""

from typing import NamedTuple

from gateway.fleet.alert import Evidence, Remedy
from gateway.fleet.diagnosis.chain.link import Link, broken
from gateway.fleet.diagnosis.chain.pod_security import refused
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.operand import OperandSet
from gateway.fleet.operand_pods import SERVING
from gateway.fleet.scheduling.taints import untolerated
from gateway.fleet.unknown import Unknown

_TOLERATED = "node.kubernetes.io/"
"""Taints that every pod of a DaemonSet puts up with, whatever it says."""
_NOT_MADE = "FailedCreate"


class _Cause(NamedTuple):
    said: str
    evidence: tuple[Evidence, ...]
    remedy: Remedy


def plugin_missing(view: ChainView) -> Link:
    """The link that is broken because there is none."""
    cause = _cause(view)
    said = f"no pod of a device plugin is on {view.name}{cause.said}"
    return broken(said, view.its_pods, (*cause.evidence, *view.offered()), cause.remedy)


def _cause(view: ChainView) -> _Cause:
    sets = view.sets(*SERVING)
    if sets is None or isinstance(sets, Unknown):
        return _Cause("", (), _look(view))
    if not sets:
        text = "install the GPU operator, or a device plugin of its own"
        return _Cause(", for the cluster has no DaemonSet of one", (), view.repair(text))
    wanted = [one for one in sets if view.wants(one)]
    return _kept_away(view, wanted) if wanted else _not_selected(view, sets[0])


def _not_selected(view: ChainView, one: OperandSet) -> _Cause:
    wanted = {key: value for key, value in sorted(one.node_selector.items()) if view.label(key) != value}
    if not wanted:
        remedy = view.repair(f"label {view.name} as the node affinity of {one.where} asks")
        return _Cause(f": the node affinity of {one.where} leaves it out", (), remedy)
    asked = [f"{key}={value}" for key, value in wanted.items()]
    remedy = view.repair(f"kubectl label node {view.name} --overwrite {' '.join(asked)}")
    return _Cause(f": {one.where} is for nodes with {', '.join(asked)}", view.labelled(*wanted), remedy)


def _kept_away(view: ChainView, sets: list[OperandSet]) -> _Cause:
    if found := refused(view, sets):
        return _Cause(f": {found.said}", found.evidence, found.remedies[0])
    for one in sets:
        if cause := _by_taint(view, one) or _by_event(view, one):
            return cause
    return _Cause(f", though {sets[0].where} wants one there", (), _look(view))


def _by_taint(view: ChainView, one: OperandSet) -> _Cause | None:
    taints = [taint for taint in view.part.taints if not taint.key.startswith(_TOLERATED)]
    taint = None if isinstance(one.constraints, Unknown) else untolerated(taints, one.constraints.tolerations)
    if taint is None:
        return None
    told = view.told(f"nodes/{view.name} spec.taints[{taint.key}].effect", taint.effect)
    remedy = view.repair(f"let {one.where} tolerate {taint.key}, in ClusterPolicy (daemonsets.tolerations)")
    return _Cause(f": {one.where} does not tolerate the taint {taint.key}", (told,), remedy)


def _by_event(view: ChainView, one: OperandSet) -> _Cause | None:
    event = view.event(_NOT_MADE, "DaemonSet", one.namespace, one.name)
    if event is None:
        return None
    remedy = view.repair(
        f"let pods of {one.where} be made: kubectl -n {one.namespace} describe ds {one.name}"
    )
    return _Cause(f": {event.message}", (view.said(event),), remedy)


def _look(view: ChainView) -> Remedy:
    return view.repair(f"look what keeps a pod of a device plugin from {view.name}")
