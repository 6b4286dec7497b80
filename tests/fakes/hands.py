"""A cluster in memory: nodes whose fields have owners, pods, and what a test has the server answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.live import (
    CORDON,
    CORDON_OWNER,
    LABEL_OWNER,
    MIG_CONFIG,
    MIG_STATE,
    Effect,
    EffectResult,
    LayoutsFile,
    LiveNode,
    LivePod,
)
from tests.builders import CLUSTER
from tests.fakes.time import FakeTime

DONE = EffectResult(effect=Effect.DONE)
GONE = EffectResult(effect=Effect.GONE, message="not found")
MOVED = EffectResult(effect=Effect.MOVED, message="the object has been modified")
CONFLICT = EffectResult(effect=Effect.CONFLICT, message='conflict with "someone": .metadata.annotations')


@dataclass
class FakeNode:
    """A node, changed in place; every change is a new version."""

    name: str
    uid: str
    labels: dict[str, str]
    allocatable: dict[str, int | None]
    version: int = 1
    ready: bool = True
    boot_id: str = "boot-1"
    unschedulable: bool = False
    cordon_owners: set[str] = field(default_factory=set)
    label_owners: set[str] = field(default_factory=set)
    annotations: dict[str, str] = field(default_factory=dict)
    taints: set[str] = field(default_factory=set)

    def live(self) -> LiveNode:
        """What a reader sees."""
        return LiveNode(
            name=self.name,
            uid=self.uid,
            version=str(self.version),
            ready=self.ready,
            boot_id=self.boot_id,
            unschedulable=self.unschedulable,
            cordon_owners=tuple(sorted(self.cordon_owners)),
            label_owners=tuple(sorted(self.label_owners)),
            labels=dict(self.labels),
            annotations=dict(self.annotations),
            taints=tuple(sorted(self.taints)),
            gpu_capacity=dict(self.allocatable),
            gpu_allocatable=dict(self.allocatable),
        )

    def uncordon(self) -> None:
        """What `kubectl uncordon` does."""
        self.unschedulable, self.version = False, self.version + 1
        self.cordon_owners.clear()


class FakeHands:
    """A cluster's nodes and pods; writes are judged as the API server does."""

    def __init__(self, time: FakeTime) -> None:
        self.time = time
        self.nodes: dict[str, FakeNode] = {}
        self.bound: dict[str, LivePod] = {}
        """Pods that have not ended, by uid."""
        self.apps: dict[str, str] = {}
        """The operator's app that a pod is of, by uid."""
        self.homes: dict[str, str] = {}
        """The node that a pod is on, by uid."""
        self.file = LayoutsFile(names=frozenset(), ours={}, is_ours=False, where="ConfigMap of the operator")
        self.answers: dict[str, EffectResult] = {}
        """What is answered instead: by what is asked, and of an eviction by the pod's name."""
        self.done: list[str] = []
        """Writes that were carried out."""
        self.fails: dict[str, Exception] = {}
        """What reading a node comes to instead, by name."""
        self._uids = count(1)

    def bind(self, name: str, node: str = "gpu-01", *, app: str = "", **told: object) -> LivePod:
        """Have a pod run on a node; without more, one of training that holds GPUs."""
        uid = f"pod-{next(self._uids)}"
        space = "gpu-operator" if app else "training"
        pod = LivePod(
            id=entity_id(EntityKind.POD, CLUSTER, space, name, uid),
            namespace=space,
            name=name,
            uid=uid,
            holds_gpus=not app,
            owner=f"DaemonSet/{app}" if app else None,
            is_mirror=False,
            finalizers=(),
            created_at=self.time(),
            terminating=False,
            ready=True,
        )
        self.bound[uid], self.homes[uid] = replace(pod, **told), node  # type: ignore[arg-type]  # its fields
        if app:
            self.apps[uid] = app
        return self.bound[uid]

    def end(self, uid: str) -> None:
        """Have a pod be gone."""
        self.bound.pop(uid, None)

    async def node(self, name: str) -> LiveNode | None:
        """The node as it is now."""
        if name in self.fails:
            raise self.fails[name]
        found = self.nodes.get(name)
        return found.live() if found else None

    async def pods(self, node: str) -> Sequence[LivePod]:
        """What is bound to it."""
        return [pod for uid, pod in self.bound.items() if self.homes[uid] == node]

    async def operands(self, node: str, app: str) -> Sequence[LivePod]:
        """The pods of one app there."""
        return [pod for pod in await self.pods(node) if self.apps.get(pod.uid) == app]

    async def cordon(self, node: LiveNode, generation: int) -> EffectResult:
        """Apply the cordon and the annotation."""
        at = self.nodes.get(node.name)
        if isinstance(judged := self._judged("cordon", node), EffectResult) or at is None:
            return judged or GONE
        at.unschedulable, at.version = True, at.version + 1
        at.cordon_owners.add(CORDON_OWNER)
        at.annotations[CORDON] = str(generation)
        self.done.append("cordon")
        return DONE

    async def give_back(self, node: LiveNode) -> EffectResult:
        """Apply neither."""
        at = self.nodes.get(node.name)
        if isinstance(judged := self._judged("uncordon", node), EffectResult) or at is None:
            return judged or GONE
        at.cordon_owners.discard(CORDON_OWNER)
        at.unschedulable, at.version = at.unschedulable and bool(at.cordon_owners), at.version + 1
        at.annotations.pop(CORDON, None)
        self.done.append("uncordon")
        return DONE

    async def label(self, node: LiveNode, config: str) -> EffectResult:
        """Set the label and take its state away."""
        at = self.nodes.get(node.name)
        if isinstance(judged := self._judged("label", node), EffectResult) or at is None:
            return judged or GONE
        at.labels[MIG_CONFIG], at.version = config, at.version + 1
        at.labels.pop(MIG_STATE, None)
        at.label_owners = {LABEL_OWNER}
        self.done.append(f"label {config}")
        return DONE

    async def evict(self, pod: LivePod, *, dry_run: bool) -> EffectResult:
        """End a pod, as far as its finalizers let it."""
        answer = self.answers.get(f"evict {pod.name}")
        if answer or pod.uid not in self.bound:
            return answer or GONE
        if not dry_run:
            self.done.append(f"evict {pod.name}")
            self.bound[pod.uid] = replace(self.bound[pod.uid], terminating=True, ready=False)
            if not pod.finalizers:
                self.time.later(3, lambda: self.end(pod.uid))
        return DONE

    async def delete(self, pod: LivePod) -> EffectResult:
        """Delete a pod of the operator; its DaemonSet makes another."""
        answer = self.answers.get(f"delete {pod.name}")
        if answer or pod.uid not in self.bound:
            return answer or GONE
        app, node = self.apps[pod.uid], self.homes[pod.uid]
        self.done.append(f"delete {app}")
        self.end(pod.uid)
        self.bind(pod.name, node, app=app)
        return DONE

    async def layouts(self) -> LayoutsFile:
        """The MIG manager's configurations."""
        return self.file

    async def add_layout(self, name: str, text: str) -> EffectResult:
        """Add one."""
        if "layout" in self.answers:
            return self.answers["layout"]
        ours = {**self.file.ours, name: text}
        self.file = replace(self.file, ours=ours, names=self.file.names | {name})
        self.done.append(f"layout {name}")
        return DONE

    def _judged(self, what: str, node: LiveNode) -> EffectResult | None:
        """What is against a write of a node that was read so."""
        at, answer = self.nodes.get(node.name), self.answers.get(what)
        if answer or at is None or at.uid != node.uid:
            return answer or GONE
        return None if str(at.version) == node.version else MOVED
