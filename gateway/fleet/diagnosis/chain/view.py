"""What the links of a machine's chain are judged by, and the words they share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.chain.vendor import Vendor, vendor_of
from gateway.fleet.discrepancies.evidence import kubernetes
from gateway.fleet.event import EVENTS, Event
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.operand import Operand, OperandSet
from gateway.fleet.operand_pods import pods_of
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.node_affinity import admits
from gateway.fleet.unknown import Maybe, Unknown

GKE = "cloud.google.com/gke-accelerator"
"""By which label GKE names the model of a node pool; it runs no gpu-feature-discovery."""


class Offer(NamedTuple):
    """What a kubelet offers of one resource; an amount that is not there is 0."""

    name: str
    had: int | Unknown
    given: int | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """One machine, and the cluster that it belongs to."""

    fleet: Fleet
    node: Node
    part: KubernetesNode

    @property
    def name(self) -> str:
        """The machine's name."""
        return self.node.name

    @property
    def vendor(self) -> Vendor:
        """Whose cards it has."""
        return vendor_of(self.part)

    @property
    def serves(self) -> bool:
        """Whether it gives any device to pods, so that all before the kubelet works."""
        return any(isinstance(one.given, int) and one.given > 0 for one in self.offers)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What it offers, by resource."""
        gpus, own = self.node.gpus, {one.name for one in self.part.resources}
        resources = gpus.resources if isinstance(gpus, NodeGpus) else None
        if not isinstance(resources, tuple):
            return ()
        return tuple(
            Offer(one.name, one.capacity or 0, one.allocatable or 0) for one in resources if one.name in own
        )

    def label(self, key: str) -> str | None:
        """The value of a label."""
        return self.part.labels.get(key)

    def labelled(self, *keys: str) -> tuple[Evidence, ...]:
        """What these labels say."""
        at = f"nodes/{self.name} metadata.labels"
        return tuple(self.told(f"{at}[{key}]", self.label(key)) for key in keys)

    def offered(self, part: str = "allocatable") -> tuple[Evidence, ...]:
        """What the node has or gives of each GPU resource."""
        amounts = [(one.name, getattr(one, part)) for one in self.part.resources]
        found = amounts or [(self.vendor.resource, None)]
        return tuple(
            self.told(f"nodes/{self.name} status.{part}[{name}]", getattr(amount, "text", None))
            for name, amount in found
        )

    def told(self, path: str, value: object, kind: str = "nodes") -> Evidence:
        """What Kubernetes says at a path."""
        return kubernetes(self.fleet, self.node.cluster, path, value, kind)

    def pods(self, *operands: Operand) -> list[Pod] | Unknown:
        """The pods of some operands on this machine."""
        return self.node.pods if isinstance(self.node.pods, Unknown) else pods_of(self.node.pods, operands)

    def sets(self, *operands: Operand) -> Maybe[list[OperandSet]]:
        """The DaemonSets of some operands; None: they cannot be seen."""
        found = self.fleet.operands(self.node.cluster)
        if not isinstance(found, Mapping):
            return found
        return [one for one in found.values() if one.operand in operands]

    def wants(self, one: OperandSet) -> bool:
        """Whether a DaemonSet is for this machine; where that cannot be read, it may be."""
        return isinstance(one.constraints, Unknown) or admits(one.constraints, self.part)

    def event(self, reason: str, kind: str, namespace: str, name: str) -> Event | None:
        """What was said last of an object for this reason."""
        asked = (reason, kind, namespace, name)
        found = [
            one
            for one in self.fleet.events(self.node.cluster)
            if (one.reason, one.about_kind, one.about_namespace, one.about_name) == asked
        ]
        return max(found, key=lambda one: one.last_seen.timestamp() if one.last_seen else 0.0, default=None)

    def said(self, event: Event) -> Evidence:
        """What an event says."""
        about = f"{event.about_kind}/{event.about_namespace}/{event.about_name}"
        return self.told(f"events[{about} {event.reason}].message", event.message, EVENTS)

    def phase(self, pod: Pod) -> Evidence:
        """How far a pod is."""
        return self.told(f"pods/{pod.namespace}/{pod.name} status.phase", pod.phase, "pods")

    def repair(self, text: str) -> Remedy:
        """Something to do at the machine or its operands."""
        return Remedy(action=RemedyAction.REPAIR_NODE, text=text, subject=self.node.id)

    def wait(self, text: str) -> Remedy:
        """Something that ends by itself."""
        return Remedy(action=RemedyAction.WAIT, text=text, subject=self.node.id)

    def columns(self, *labels: str) -> str:
        """Ask kubectl for the machine with these labels as columns."""
        return " ".join((f"get node {self.name}", *(f"-L {label}" for label in labels)))

    @property
    def its_pods(self) -> str:
        """Ask kubectl for what runs on the machine."""
        return f"get pods -A --field-selector spec.nodeName={self.name}"
