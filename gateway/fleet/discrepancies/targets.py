"""Machines that two schedulers use: one target each, never both."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.discrepancies.evidence import (
    about,
    counted,
    kubernetes,
    machines,
    platform,
    record_path,
    slurm,
)
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.health import takes_work
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.unknown import Unknown

_BARRED = {"NoSchedule", "NoExecute"}
_CLOSED = {"DOWN", "FAIL", "NOT_RESPONDING", "FUTURE", "INVALID_REG"}
_MOST_NAMED = 5


def target_conflicts(fleet: Fleet) -> Iterator[Finding]:
    """Work of the wrong scheduler holds a machine; or that scheduler would place work on it."""
    for node in machines(fleet):
        target = node.record.target if isinstance(node.record, NodeRecord) else None
        if target is Target.SLURM:
            yield from _held_by_pods(node, fleet)
        elif target is Target.KUBERNETES:
            yield from _held_by_jobs(node, fleet)


def _held_by_pods(node: Node, fleet: Fleet) -> Iterator[Finding]:
    part = node.kubernetes
    if not isinstance(part, KubernetesNode) or isinstance(node.pods, Unknown):
        return
    held = [pod for pod in node.pods if pod.holds_gpus]
    if held:
        work = f"{counted(len(held), 'pod')} of Kubernetes {_verb(held)} its GPUs"
        said = f"{node.name} serves Slurm, {_to_slurm(node)}; {work}"
        evidence = (*_claims(node, Target.SLURM, fleet), *_pods(node, held, fleet))
        yield _critical(node, said, evidence, held)
    elif part.ready is True and takes_work(part) and _is_untainted(part):
        said = (
            f"{node.name} serves Slurm, and Kubernetes would place work on it: neither cordoned nor tainted"
        )
        path = f"nodes/{node.name} spec"
        evidence = (
            *_claims(node, Target.SLURM, fleet),
            kubernetes(fleet, node.cluster, path, "no cordon, no taint"),
        )
        yield about(
            node,
            AlertKind.TARGET_CONFLICT,
            said,
            evidence,
            [_close(node, "cordon or taint it in Kubernetes")],
        )


def _is_untainted(part: KubernetesNode) -> bool:
    """Whether work that asks for GPUs may come; it tolerates taints of their name without being told."""
    return all(one.effect not in _BARRED or is_gpu_resource(one.key) for one in part.taints)


def _held_by_jobs(node: Node, fleet: Fleet) -> Iterator[Finding]:
    part = node.slurm
    if not isinstance(part, SlurmNode) or isinstance(node.jobs, Unknown):
        return
    held = [job for job in node.jobs if job.holds_nodes]
    if held:
        work = f"{counted(len(held), 'job')} of Slurm {_verb(held)} it"
        said = f"{node.name} serves Kubernetes, {_to_kubernetes(node)}; {work}"
        evidence = (*_claims(node, Target.KUBERNETES, fleet), *_jobs(part, held, fleet))
        yield _critical(node, said, evidence, held)
    elif takes_work(part) and _CLOSED.isdisjoint(part.states):
        state = "+".join(part.states)
        said = f"{node.name} serves Kubernetes, and Slurm would place jobs on it: {state}, not drained"
        evidence = (*_claims(node, Target.KUBERNETES, fleet), _state(part, fleet))
        yield about(node, AlertKind.TARGET_CONFLICT, said, evidence, [_close(node, "drain it in Slurm")])


def _critical(
    node: Node, said: str, evidence: tuple[Evidence, ...], held: Iterable[Pod | SlurmJob]
) -> Finding:
    remedies = [
        *(
            Remedy(
                action=RemedyAction.FREE_WORKLOADS,
                text=f"ask who runs {work.name}, and move it",
                subject=work.id,
            )
            for work in list(held)[:_MOST_NAMED]
        ),
        Remedy(action=RemedyAction.CHANGE_TARGET, text="or give the machine to who uses it", subject=node.id),
    ]
    return replace(
        about(node, AlertKind.TARGET_CONFLICT, said, evidence, remedies), severity=Severity.CRITICAL
    )


def _close(node: Node, text: str) -> Remedy:
    return Remedy(action=RemedyAction.OTHER, text=text, subject=node.id)


def _verb(held: list[Pod] | list[SlurmJob]) -> str:
    return "holds" if len(held) == 1 else "hold"


def _to_slurm(node: Node) -> str:
    if isinstance(node.slurm, SlurmNode):
        return f"to which it is {'+'.join(node.slurm.states)}"
    return "which does not know it" if node.slurm is None else "which is silent"


def _to_kubernetes(node: Node) -> str:
    if isinstance(node.pods, Unknown):
        return "which is silent"
    held = sum(pod.holds_gpus for pod in node.pods)
    return (
        f"where {counted(held, 'pod')} hold its GPUs"
        if held > 1
        else f"where {held or 'no'} pod holds its GPUs"
    )


def _claims(node: Node, target: Target, fleet: Fleet) -> Iterator[Evidence]:
    yield platform(fleet, record_path(node, "target"), target.value)
    if target is Target.SLURM and isinstance(node.slurm, SlurmNode):
        yield _state(node.slurm, fleet)


def _state(part: SlurmNode, fleet: Fleet) -> Evidence:
    return slurm(fleet, part.slurm_cluster, f"nodes/{part.name} state", "+".join(part.states))


def _pods(node: Node, held: Iterable[Pod], fleet: Fleet) -> Iterator[Evidence]:
    for pod in list(held)[:_MOST_NAMED]:
        asked = ", ".join(f"{one.resource} {one.count}" for one in pod.gpus if isinstance(one.count, int))
        yield kubernetes(fleet, node.cluster, f"pods/{pod.namespace}/{pod.name}", asked, "pods")


def _jobs(part: SlurmNode, held: Iterable[SlurmJob], fleet: Fleet) -> Iterator[Evidence]:
    for job in list(held)[:_MOST_NAMED]:
        yield slurm(fleet, part.slurm_cluster, f"jobs/{job.job_id}", f"{job.slurm_state} {job.name}", "jobs")
