"""What cards cost: exact decimals, by the price that holds now."""

from collections.abc import Iterable
from datetime import datetime

from gateway.errors import System
from gateway.fleet.gpu import Money, Price
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Maybe, Unknown, undetermined


def price_at(prices: Iterable[Price] | Unknown, now: datetime) -> Maybe[Money]:
    """The price of a card-hour that holds now; None where there is none."""
    if isinstance(prices, Unknown):
        return prices
    holding = [price for price in prices if price.effective_from <= now]
    if not holding:
        return None
    newest = max(holding, key=lambda price: price.effective_from)
    return Money(amount=newest.amount, currency=newest.currency)


def cost_of(cards: Maybe[int], price: Maybe[Money]) -> Maybe[Money]:
    """What so many cards cost an hour."""
    unknown = first_unknown(cards, price)
    if unknown:
        return unknown
    if not isinstance(cards, int) or not isinstance(price, Money):
        return None
    return Money(amount=price.amount * cards, currency=price.currency)


def total_cost(costs: Iterable[Maybe[Money]]) -> Maybe[Money]:
    """Add up costs; None where there is nothing to pay for, unknown where one has no price."""
    every = list(costs)
    unknown = first_unknown(*every)
    if unknown:
        return unknown
    known = [cost for cost in every if isinstance(cost, Money)]
    if not known:
        return None
    if len(known) < len(every):
        return undetermined(System.PLATFORM, f"{len(every) - len(known)} of {len(every)} parts have no price")
    currencies = sorted({cost.currency for cost in known})
    if len(currencies) > 1:
        return undetermined(System.PLATFORM, f"prices in {' and '.join(currencies)} do not add up")
    return Money(
        amount=sum((cost.amount for cost in known), start=known[0].amount * 0), currency=currencies[0]
    )
