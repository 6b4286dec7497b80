"""What namespaces may have of GPUs."""

from gateway.errors import System
from gateway.fleet import namespace_quota as records
from schema.provenance import derived, kubernetes
from schema.queue import Quantity
from schema.view import attribute, view


@view(records.NamespaceQuota)
class NamespaceQuota:
    """One key of one ResourceQuota, as far as it is about GPUs."""

    namespace: str = attribute("Whose quota it is.", kubernetes("resourcequota metadata.namespace"))
    name: str = attribute("The ResourceQuota.", kubernetes("resourcequota metadata.name"))
    resource: str = attribute(
        "The key as it is written: requests.nvidia.com/gpu.", kubernetes("resourcequota spec.hard")
    )
    hard: Quantity = attribute("How much the namespace may ask for.")
    used: Quantity | None = attribute(
        "As Kubernetes counted last; null where it does not count this key.", needs=[System.KUBERNETES]
    )
    enforced: bool = attribute(
        "Whether it holds anybody back: a key without requests. does not.",
        derived("quota", System.KUBERNETES),
    )
    note: str | None = attribute(
        "Why it does nothing, or what a count means where that is not a card.",
        derived("quota", System.KUBERNETES),
    )
