"""All rules, and which alerts can be judged anew at a moment."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Finding
from gateway.fleet.discrepancies.deserved import deserved_incomplete
from gateway.fleet.discrepancies.desired import foreign_cordons, stuck_changes, wished_slices_gone
from gateway.fleet.discrepancies.devices import cards_lost, profile_drift, ready_without_capacity
from gateway.fleet.discrepancies.gpu_types import types_given, types_on_record
from gateway.fleet.discrepancies.lines import exhausted_lines
from gateway.fleet.discrepancies.quotas import high_quotas, quotas_without_effect
from gateway.fleet.discrepancies.records import orphaned_records, unmanaged_nodes
from gateway.fleet.discrepancies.sources import silent_sources, skipped_items
from gateway.fleet.discrepancies.targets import target_conflicts
from gateway.fleet.discrepancies.units import slices_counted_as_cards
from gateway.fleet.discrepancies.usage import implausible_usage, usage_drift
from gateway.fleet.fleet import Fleet
from gateway.fleet.pending.kept import REASONS
from gateway.fleet.quota import QUOTAS
from gateway.fleet.source import SourceKey

Rule = Callable[[Fleet], Iterable[Finding]]
"""Pure: the same fleet, the same findings. It says nothing of what a silent system would have to tell."""
RULES: tuple[Rule, ...] = (
    orphaned_records,
    target_conflicts,
    skipped_items,
    slices_counted_as_cards,
    ready_without_capacity,
    types_on_record,
    types_given,
    deserved_incomplete,
    exhausted_lines,
    unmanaged_nodes,
    cards_lost,
    profile_drift,
    wished_slices_gone,
    stuck_changes,
    foreign_cordons,
    implausible_usage,
    usage_drift,
    quotas_without_effect,
    high_quotas,
    silent_sources,
)
MOST_OF_A_RULE = 1_000
_ABOUT_SILENCE = {AlertKind.SOURCE_STALE, AlertKind.SOURCE_DOWN}
_ABOUT_QUOTAS = {AlertKind.QUOTA_WITHOUT_EFFECT, AlertKind.GPU_QUOTA_HIGH}


def found_by(rule: Rule, fleet: Fleet) -> Mapping[str, Finding]:
    """What a rule finds, by id; at most a thousand, since more of a kind is one cause."""
    return {finding.id: finding for finding in islice(rule(fleet), MOST_OF_A_RULE)}


def can_judge(finding: Finding, fleet: Fleet) -> bool:
    """Whether all systems that it rests on answer, so that not finding it again means that it is over."""
    if finding.kind in _ABOUT_SILENCE:
        return True
    return not any(key.system in finding.systems and _tells_of(key, finding, fleet) for key in fleet.silences)


def _tells_of(key: SourceKey, finding: Finding, fleet: Fleet) -> bool:
    """Whether a listing is of the finding's cluster, or of all clusters; quotas tell only of quotas.

    Kept reasons tell of none.
    """
    if key == REASONS or (key.kind == QUOTAS and finding.kind not in _ABOUT_QUOTAS):
        return False
    home = fleet.slurms.get(key.place) if key.system is System.SLURM else key.place
    return home in {"", finding.cluster} or finding.cluster is None
