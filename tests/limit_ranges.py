"""LimitRanges, for tests."""

from gateway.errors import System
from gateway.fleet.limit_range import Limit, LimitRange
from gateway.fleet.quantity import quantity
from gateway.fleet.source import SourceKey
from tests.builders import CLUSTER
from tests.fleets import FRESH

LIMIT_RANGES = SourceKey(System.KUBERNETES, CLUSTER, "limitranges")


def a_limit(resource, least=None, most=None, given=None, *, of_container=False):
    """What a LimitRange says of one resource."""
    amounts = {"least": least, "most": most, "given": given}
    told = {
        key: None if text is None else quantity(resource, text, System.KUBERNETES)
        for key, text in amounts.items()
    }
    return Limit(resource=resource, of_container=of_container, **told)


def a_limit_range(*limits, name="sizes", namespace="training"):
    """A LimitRange of the namespace of a workspace."""
    return LimitRange(cluster=CLUSTER, namespace=namespace, name=name, limits=limits)


def with_limit_ranges(keeper, ranges):
    """The keeper, told of these LimitRanges a moment ago."""
    keeper.replace(LIMIT_RANGES, {(one.namespace, one.name): one for one in ranges}, FRESH)
    return keeper
