"""What callers may ask to be changed, each as the change that it asks for."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

import strawberry

from gateway.fleet.change import (
    AssignNode,
    Change,
    ReleaseNode,
    SetAllocation,
    SetCordon,
    SetMigLayout,
    SetPause,
    SetPrice,
)
from gateway.fleet.platform import Target
from resolvers.inputs import WorkspaceRef
from resolvers.layout_inputs import MigLayoutInput


class ChangeInput(Protocol):
    """What every input of a mutation has."""

    dry_run: bool
    idempotency_key: str | None

    @property
    def change(self) -> Change:
        """The change that is asked for."""


def _optional(description: str) -> Any:  # noqa: ANN401 - Strawberry makes the default of it
    return strawberry.field(default=None, description=description)


def _acknowledged() -> Any:  # noqa: ANN401 - Strawberry makes the default of it
    return _optional(
        "Ids of workloads that may lose their GPUs by it, as impact and WORKLOADS_RUNNING name them. "
        "One that appeared in between is not among them."
    )


def _if_generation() -> Any:  # noqa: ANN401 - Strawberry makes the default of it
    return _optional("Only if nothing changed since this one; 0: only if nobody asked for anything yet.")


def _dry_run() -> Any:  # noqa: ANN401 - Strawberry makes the default of it
    return strawberry.field(default=False, description="Decide everything and write nothing.")


def _once() -> Any:  # noqa: ANN401 - Strawberry makes the default of it
    return _optional(
        "The same key and input again answers the same and changes nothing, for a day; "
        "with other input it is KEY_REUSED. A refusal uses no key."
    )


@strawberry.input
class NodeRef:
    """A machine by name."""

    cluster: str
    name: str


@strawberry.input
class SetCordonInput:
    """A cordon keeps new work away; it evicts nothing."""

    node: NodeRef
    cordoned: bool
    reason: str | None = _optional("Why it is cordoned, for people.")
    if_generation: int | None = _if_generation()
    dry_run: bool = _dry_run()
    idempotency_key: str | None = _once()

    @property
    def change(self) -> SetCordon:
        """The change that is asked for."""
        return SetCordon(
            cluster=self.node.cluster,
            node=self.node.name,
            cordoned=self.cordoned,
            reason=self.reason,
            if_generation=self.if_generation,
        )


@strawberry.input
class SetMigLayoutInput:
    """How the cards are to be cut."""

    node: NodeRef
    layout: MigLayoutInput | None = _optional("Null: withdraw the wish, leave the cards as they are.")
    acknowledged_workloads: list[strawberry.ID] | None = _acknowledged()
    if_generation: int | None = _if_generation()
    dry_run: bool = _dry_run()
    idempotency_key: str | None = _once()

    @property
    def change(self) -> SetMigLayout:
        """The change that is asked for."""
        return SetMigLayout(
            cluster=self.node.cluster,
            node=self.node.name,
            layout=self.layout.layout if self.layout else None,
            acknowledged=_ids(self.acknowledged_workloads),
            if_generation=self.if_generation,
        )


@strawberry.input
class AssignNodeInput:
    """Gives a machine that nobody holds to a tenant."""

    node: NodeRef
    tenant: str
    target: Target
    acknowledged_workloads: list[strawberry.ID] | None = _acknowledged()
    if_generation: int | None = _if_generation()
    dry_run: bool = _dry_run()
    idempotency_key: str | None = _once()

    @property
    def change(self) -> AssignNode:
        """The change that is asked for."""
        return AssignNode(
            cluster=self.node.cluster,
            node=self.node.name,
            tenant=self.tenant,
            target=self.target,
            acknowledged=_ids(self.acknowledged_workloads),
            if_generation=self.if_generation,
        )


@strawberry.input
class ReleaseNodeInput:
    """Takes a machine back from its tenant."""

    node: NodeRef
    acknowledged_workloads: list[strawberry.ID] | None = _acknowledged()
    if_generation: int | None = _if_generation()
    dry_run: bool = _dry_run()
    idempotency_key: str | None = _once()

    @property
    def change(self) -> ReleaseNode:
        """The change that is asked for."""
        return ReleaseNode(
            cluster=self.node.cluster,
            node=self.node.name,
            acknowledged=_ids(self.acknowledged_workloads),
            if_generation=self.if_generation,
        )


@strawberry.input
class SetAllocationInput:
    """How many cards of a type a workspace has; 0 takes all back."""

    workspace: WorkspaceRef
    gpu_type: str
    cards: int
    acknowledged_workloads: list[strawberry.ID] | None = _acknowledged()
    if_generation: int | None = _if_generation()
    dry_run: bool = _dry_run()
    idempotency_key: str | None = _once()

    @property
    def change(self) -> SetAllocation:
        """The change that is asked for."""
        return SetAllocation(
            tenant=self.workspace.tenant,
            workspace=self.workspace.name,
            gpu_type=self.gpu_type,
            cards=self.cards,
            acknowledged=_ids(self.acknowledged_workloads),
            if_generation=self.if_generation,
        )


@strawberry.input
class SetPriceInput:
    """What a card-hour costs from a time on."""

    gpu_type: str
    amount: Decimal = strawberry.field(description="For one card and hour, in the currency's main unit.")
    currency: str = strawberry.field(description="ISO 4217, as EUR.")
    effective_from: datetime | None = _optional("Null: from now on. What has passed is not rewritten.")
    dry_run: bool = _dry_run()
    idempotency_key: str | None = _once()

    @property
    def change(self) -> SetPrice:
        """The change that is asked for."""
        return SetPrice(
            gpu_type=self.gpu_type,
            amount=self.amount,
            currency=self.currency,
            effective_from=self.effective_from,
        )


@strawberry.input
class SetPauseInput:
    """Whether a controller may have any effect."""

    controller: str = strawberry.field(description="Its name, as node-reconciler/<cluster>.")
    paused: bool
    reason: str | None = _optional("Why it is paused, for people.")
    dry_run: bool = _dry_run()
    idempotency_key: str | None = _once()

    @property
    def change(self) -> SetPause:
        """The change that is asked for."""
        return SetPause(controller=self.controller, paused=self.paused, reason=self.reason)


@strawberry.input(one_of=True)
class ImpactInput:
    """The change itself, as its mutation takes it. Exactly one."""

    set_cordon: SetCordonInput | None = strawberry.UNSET
    set_mig_layout: SetMigLayoutInput | None = strawberry.UNSET
    assign_node: AssignNodeInput | None = strawberry.UNSET
    release_node: ReleaseNodeInput | None = strawberry.UNSET
    set_allocation: SetAllocationInput | None = strawberry.UNSET

    @property
    def change(self) -> Change:
        """The change that is meant."""
        every = (
            self.set_cordon,
            self.set_mig_layout,
            self.assign_node,
            self.release_node,
            self.set_allocation,
        )
        return next(one.change for one in every if one)


def _ids(given: Iterable[str] | None) -> frozenset[str]:
    return frozenset(given or ())
