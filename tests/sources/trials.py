"""What a probe tells, for tests: one line a trial, and its fixes by what was tried."""

from collections.abc import AsyncIterator

from gateway.sources.trial import Trial


async def told(trials: AsyncIterator[Trial]) -> dict[str, Trial]:
    """Every trial by what was tried, in the order in which they were told."""
    return {trial.what: trial async for trial in trials}


def outcomes(trials: dict[str, Trial]) -> dict[str, str]:
    """How each ended."""
    return {what: trial.outcome.value for what, trial in trials.items()}
