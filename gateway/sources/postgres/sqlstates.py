"""The SQLSTATEs by which the migrations' triggers refuse a write."""

from typing import Final

STALE_LEADER: Final = "GW001"
"""Another leads the cluster since, or the session does not say in whose epoch it writes."""
IN_CHANGE: Final = "GW002"
"""The reconciler is at work on the node: its target, its tenant and the record itself are held."""
NO_CARDS_LEFT: Final = "GW003"
"""The tenant has not so many healthy cards of that type on that cluster."""
PAUSED: Final = "GW004"
"""The cluster's controllers are paused."""
