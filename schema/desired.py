"""What was asked of a machine, how far it is, and what the health monitor saw."""

from datetime import datetime

from gateway.errors import System
from gateway.fleet import desired as records
from gateway.fleet import health_reason
from gateway.fleet.desired import BlockCause, ReconcilePhase
from gateway.fleet.health_reason import HealthCode
from resolvers import desired as resolve
from schema.entity import Workload
from schema.provenance import MACHINES, derived, platform
from schema.view import answer, attribute, view

KUBERNETES, PLATFORM, SLURM = System.KUBERNETES, System.PLATFORM, System.SLURM


@view(records.ProfileCount)
class ProfileCount:
    """So many slices of one profile on a card."""

    profile: str = attribute(
        "As nvidia-smi writes it: 1g.10gb, 1g.10gb+me.", platform("node_record.desired_layout")
    )
    count: int = attribute("Slices.", platform("node_record.desired_layout"))


@view(records.CardLayout)
class CardLayout:
    """How some cards are cut; no profiles: left whole."""

    devices: list[int] | None = attribute(
        "Card indexes; null: all cards.", platform("node_record.desired_layout")
    )
    profiles: list[ProfileCount] = attribute("On each of these cards.")


@view(records.MigLayout)
class MigLayout:
    """A named configuration of the MIG manager, or a layout card by card: exactly one."""

    config: str | None = attribute("Its name.", platform("node_record.desired_layout"))
    cards: list[CardLayout] | None = attribute("Card by card.")


@view(records.NodeDesired)
class NodeDesired:
    """What people and bots asked for."""

    cordoned: bool = attribute("No new work is to be placed here.", platform("node_record.desired_cordoned"))
    cordon_reason: str | None = attribute("Why, for people.", platform("node_record.desired_cordon_reason"))
    mig_layout: MigLayout | None = attribute("How the cards are to be cut; null: as they are.")
    generation: int = attribute(
        "Grows with every change: pass it as ifGeneration.", platform("node_record.desired_generation")
    )
    changed_at: datetime = attribute("When it grew last.", platform("node_record.desired_changed_at"))
    changed_by: str = attribute("Who asked then.", platform("node_record.desired_changed_by"))


@view(records.Blocker)
class Blocker:
    """What stands in the way, by name: a workload, a budget, a field manager, a finalizer, a webhook."""

    cause: BlockCause = attribute("What kind of thing.", platform("node_record.observed_blockers"))
    name: str = attribute("Which one.", platform("node_record.observed_blockers"))
    workload: Workload | None = answer(resolve.workload, needs=[KUBERNETES, SLURM])


@view(records.NodeObserved)
class NodeObserved:
    """How far the reconciler got with which generation."""

    phase: ReconcilePhase = attribute("The step that it is at.", platform("node_record.observed_phase"))
    generation: int = attribute("Of what was asked.", platform("node_record.observed_generation"))
    converged: bool = attribute(
        "This generation is the desired one and everything is verified; "
        "where no cordon is desired, the gateway holds none.",
        derived("converged", PLATFORM),
    )
    message: str = attribute("For people.", platform("node_record.observed_message"))
    blockers: list[Blocker] = attribute("What stands in the way.")
    changed_at: datetime = attribute("When that was so first.", platform("node_record.observed_changed_at"))


@view(health_reason.HealthReason)
class HealthReason:
    """One finding about a machine's GPUs."""

    code: HealthCode = attribute("The kind of finding.", derived("health", *MACHINES))
    message: str = attribute("For people.", derived("health", *MACHINES))
    since: datetime | None = attribute("From when on, where a system says.", derived("health", *MACHINES))


@view(health_reason.ReportedHealth)
class ReportedHealth:
    """What the health monitor wrote down: the same judgement as health, at the time that it names."""

    healthy: bool = attribute("Whether its GPUs were usable.", platform("node_record.health_healthy"))
    reasons: list[HealthReason] = attribute("What stood against it.", platform("node_record.health_reasons"))
    checked_at: datetime = attribute("When it looked.", platform("node_record.health_checked_at"))
