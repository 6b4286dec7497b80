"""What opens a machine to new work: its target, its cordon, its taints."""

from dataclasses import replace

from gateway.fleet.alert import RemedyAction
from gateway.fleet.changes.work import jobs_on, name_of
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.offered import offered
from gateway.fleet.fits.stand_in import tolerations
from gateway.fleet.fits.step import Step, on_node, on_work
from gateway.fleet.node import KubernetesNode, Node, NodeHealth, Taint
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.scheduling.taints import untolerated
from gateway.fleet.unknown import Unknown

_BY_KUBERNETES = "node.kubernetes.io/"
_CORDON = f"{_BY_KUBERNETES}unschedulable"


def change_target(node: Node, _ask: Ask) -> Step | None:
    """Let Kubernetes have a machine of Slurm, once its jobs are gone."""
    record, jobs = node.record, jobs_on(node)
    if not isinstance(record, NodeRecord) or record.target is not Target.SLURM or isinstance(jobs, Unknown):
        return None
    if not isinstance(node.kubernetes, KubernetesNode):
        return None
    freed = ((job.id, f"Free {node.name} of {name_of(job)}") for job in jobs)
    changed = on_node(RemedyAction.CHANGE_TARGET, f"Let {node.name} serve Kubernetes and not Slurm", node)
    return Step(
        remedies=(*on_work(RemedyAction.FREE_WORKLOADS, freed), *changed),
        after=replace(node, record=replace(record, target=Target.KUBERNETES), jobs=()),
        hurts=len(jobs),
    )


def uncordon(node: Node, _ask: Ask) -> Step | None:
    """Take a cordon away, but not from under a change of its layout."""
    part = node.kubernetes
    if not isinstance(part, KubernetesNode) or node.is_being_cut:
        return None
    by = f", which {part.cordoned_by} cordoned" if isinstance(part.cordoned_by, str) else ""
    left = tuple(taint for taint in part.taints if taint.key != _CORDON)
    return Step(
        remedies=on_node(RemedyAction.UNCORDON, f"Uncordon {node.name}{by}", node),
        after=replace(node, kubernetes=replace(part, cordoned=False, taints=left)),
    )


def put_up_with(node: Node, ask: Ask) -> Step | None:
    """Tolerate a taint; what Kubernetes itself puts there tells of something to repair."""
    part, resource = node.kubernetes, offered(node, ask)
    if not isinstance(part, KubernetesNode):
        return None
    taint = untolerated(part.taints, tolerations(resource if isinstance(resource, str) else None))
    if taint is None:
        return None
    if taint.key.startswith(_BY_KUBERNETES):
        remedies = on_node(RemedyAction.REPAIR_NODE, f"Repair {node.name}: {_illness(node, taint)}", node)
    else:
        said = f"Tolerate {_written(taint)} of {node.name}, or take that taint away"
        remedies = on_node(RemedyAction.ADD_TOLERATION, said, node)
    left = tuple(one for one in part.taints if one != taint)
    return Step(remedies=remedies, after=replace(node, kubernetes=replace(part, taints=left)))


def _illness(node: Node, taint: Taint) -> str:
    reasons = node.health.reasons if isinstance(node.health, NodeHealth) else ()
    return "; ".join(reason.message for reason in reasons) or f"it is tainted {_written(taint)}"


def _written(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"
