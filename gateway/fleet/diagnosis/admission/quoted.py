"""What a step about a pod's admission quotes, and to whom its remedies are addressed."""

from gateway.fleet.alert import Evidence
from gateway.fleet.cluster import cluster_id
from gateway.fleet.discrepancies.evidence import kubernetes
from gateway.fleet.event import EVENTS, Event
from gateway.fleet.fleet import Fleet
from gateway.fleet.platform import Workspace
from gateway.fleet.pod import Pod


def home_of(pod: Pod, fleet: Fleet) -> str:
    """The id of the workspace that the pod's namespace belongs to, else of its cluster."""
    workspace = fleet.workspace_of(pod)
    return workspace.id if isinstance(workspace, Workspace) else cluster_id(pod.cluster)


def asked(pod: Pod, resource: str, fleet: Fleet) -> Evidence:
    """How much of a resource it asks for."""
    amount = next((one.count for one in pod.gpus if one.resource == resource), None)
    at = f"pods/{pod.namespace}/{pod.name} spec.containers resources.requests[{resource}]"
    return kubernetes(fleet, pod.cluster, at, amount, "pods")


def told_by(event: Event, fleet: Fleet) -> Evidence:
    """What an event says."""
    about = "/".join(part for part in (event.about_kind, event.about_namespace, event.about_name) if part)
    return kubernetes(fleet, event.cluster, f"events about {about}: {event.reason}", event.message, EVENTS)
