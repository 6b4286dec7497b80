"""What the gateway reads of a cluster's Volcano, for a trial."""

from gateway.sources.kubernetes.probe import Reading
from gateway.sources.volcano.queues import GROUP

READINGS = (
    Reading(path=f"{GROUP}/queues", optional=True),
    Reading(path=f"{GROUP}/podgroups", optional=True),
    Reading(
        path="/apis/apps/v1/deployments",
        verbs=["list"],
        loss="which scheduler serves the queues, outside volcano-system",
        optional=True,
    ),
    Reading(
        path="/api/v1/namespaces/volcano-system/configmaps/volcano-scheduler-configmap",
        verbs=["get"],
        loss="what the queues take back",
        optional=True,
    ),
)
