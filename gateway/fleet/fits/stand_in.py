"""The pod that would ask for what is asked for."""

from decimal import Decimal

from immutables import Map

from gateway.fleet.constraints import Constraints, Toleration
from gateway.fleet.fits.ask import Ask
from gateway.fleet.pod import Pod
from gateway.fleet.workload import WorkloadState


def stand_in(ask: Ask, resource: str | None) -> Pod:
    """A pod that asks for that much of a resource and for nothing else; it evicts nobody."""
    return Pod(
        cluster="",
        namespace="",
        name="",
        uid="",
        phase="Pending",
        state=WorkloadState.PENDING,
        node_name=None,
        gpus=(),
        priority=None,
        priority_class=None,
        controller=None,
        group_name=None,
        scheduler_name=None,
        created_at=None,
        started_at=None,
        terminating=False,
        ended=False,
        requests=Map({resource: Decimal(ask.count)}) if resource else Map(),
        constraints=Constraints(tolerations=tolerations(resource)),
        preempts=False,
    )


def tolerations(resource: str | None) -> tuple[Toleration, ...]:
    """A taint by the name of a resource is for those that do not ask for it.

    The admission ExtendedResourceToleration gives the same to pods.
    """
    return (Toleration(key=resource, operator="Exists", value="", effect=""),) if resource else ()
