"""Alerts as a caller sees them, of a fleet in a keeper."""

from typing import Any

from gateway.controllers.alert_keeper import AlertKeeper
from gateway.fleet.keeper import FleetKeeper
from tests.asking import Gateway

ALERTS = """query ($filter: AlertFilter) { alerts(filter: $filter) { nodes {
  kind code severity subject { __typename id } subjectName cluster { name } tenant { name }
  message
  claim { system path value observedAt } evidence { system path value }
  remedies { action text subject { id } }
  firstSeen lastSeen resolvedAt
} } }"""


def watched(keeper: FleetKeeper) -> Gateway:
    """A gateway that has looked at this fleet once."""
    AlertKeeper(keeper).look_once()
    return Gateway(keeper)


def alerts_of(gateway: Gateway, kind: str) -> list[Any]:
    """Its alerts of one kind."""
    found: list[Any] = gateway.data(ALERTS, filter={"kinds": [kind]})["alerts"]["nodes"]
    return found


def told(evidence: Any) -> list[tuple[str, str]]:
    """Who says what."""
    return [(one["system"], one["value"]) for one in evidence]
