"""One node, one step: look, plan, claim, and at most one effect."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from gateway.controllers.leadership import Leadership
from gateway.controllers.node_reconciler.effects import do
from gateway.controllers.node_reconciler.looking import Subject, look
from gateway.controllers.node_reconciler.outcome import Answered, outcome, unanswered
from gateway.controllers.node_reconciler.plan import plan
from gateway.controllers.node_reconciler.sight import Limits, Sight, carried
from gateway.controllers.node_reconciler.steps import Act, Evict, Step
from gateway.errors import SourceError, SourceUnavailable, System
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.desired import BlockCause, Blocker, ReconcilePhase
from gateway.fleet.live import Effect, EffectResult, LiveNode
from gateway.fleet.ports import NodeHands, NodeLedger
from gateway.fleet.wish import Claim, Progress, Wish

_LOG = logging.getLogger(__name__)
Sleep = Callable[[float], Awaitable[None]]
_BETWEEN_LOOKS = 5.0
_LONGEST = 10.0
"""Seconds that an effect may take."""
_SPARE = 1.0
"""Seconds that must be left of the lease when an effect ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciler:
    """Brings the nodes of one cluster nearer to what is desired of them."""

    hands: NodeHands
    ledger: NodeLedger
    leadership: Leadership
    limits: Limits
    clock: Clock = utc_now
    sleep: Sleep = asyncio.sleep

    async def step(self, subject: Subject) -> bool:
        """Do what is next on this node; whether the next eviction need not wait."""
        sight = await look(subject, self.hands)
        step = plan(subject.wish, sight, self.limits, self.clock())
        if step is not None and step.twice:
            await self.sleep(_BETWEEN_LOOKS)
            sight, first = await look(subject, self.hands), step
            step = plan(subject.wish, sight, self.limits, self.clock())
            if step is None or (step.phase, step.act) != (first.phase, first.act):
                return False
        if step is None or (step.act is None and _is_told(subject.wish, step)):
            return False
        effect = await self._make(subject.wish, step, sight)
        return effect is Effect.DONE and isinstance(step.act, Evict)

    async def stall(self, wish: Wish, why: str) -> None:
        """Say what cannot be read, so that the node does not stand still without a word."""
        blocker = Blocker(cause=BlockCause.OTHER, name=why)
        progress = await self._progress(wish)
        step = Step(phase=ReconcilePhase.BLOCKED, message=why, blockers=(blocker,), progress=progress)
        if not _is_told(wish, step):
            await self._claim(wish, step)

    async def give_up(self, wish: Wish, why: str) -> None:
        """Have nothing more done on this node for what is wished now."""
        step = Step(phase=ReconcilePhase.FAILED, message=why, progress=await self._progress(wish))
        await self._claim(wish, step)

    async def _progress(self, wish: Wish) -> Progress:
        """As it was claimed last, which the step that went wrong may have done after the wish was read."""
        wishes = await self.ledger.wishes(wish.cluster)
        return carried(next((one for one in wishes if one.node == wish.node), wish))

    async def _make(self, wish: Wish, step: Step, sight: Sight) -> Effect | None:
        """Claim a step, then do its effect, then claim what came of it; None: nothing was done."""
        reign = await self.leadership.reign()
        if step.act and reign and reign.paused_by is not None:
            step = _paused(step.act, wish, reign.paused_by)
        if not await self._claim(wish, step) or step.act is None or sight.node is None:
            return None
        try:
            result = await self._do(step.act, wish, sight.node)
        except SourceError:
            await self._claim(wish, unanswered(step, step.act))
            raise
        if result is None:
            return None
        answered = Answered(act=step.act, result=result, node=sight.node, at=self.clock())
        told = outcome(step, answered, carried(wish))
        if told != replace(step, act=None):
            await self._claim(wish, told)
        return result.effect

    async def _do(self, act: Act, wish: Wish, node: LiveNode) -> EffectResult | None:
        """Do an effect while the lease holds; None: there is no time left for it."""
        reign = await self.leadership.reign()
        seconds = min(_LONGEST, reign.left_seconds - _SPARE) if reign else 0.0
        if seconds <= 0 or wish.desired is None:
            return None
        try:
            async with asyncio.timeout(seconds):
                result = await do(act, node, wish.desired.generation, self.hands)
        except TimeoutError:
            said = f"cluster {wish.cluster}: no answer to {act.key} on {wish.node} within {seconds:.0f} s"
            raise SourceUnavailable(System.KUBERNETES, said) from None
        _tell("effect", wish, act=act.key, effect=result.effect.value, answer=result.message)
        return result

    async def _claim(self, wish: Wish, step: Step) -> bool:
        """Write how far the node is; False: not now, and nothing may be done."""
        reign, desired = await self.leadership.reign(), wish.desired
        if reign is None or desired is None:
            return False
        claim = Claim(
            epoch=reign.epoch,
            cluster=wish.cluster,
            node=wish.node,
            generation=desired.generation,
            phase=step.phase,
            message=step.message,
            blockers=step.blockers,
            layout_converged=desired.layout_generation if step.verified else None,
            progress=step.progress,
        )
        held = await self.ledger.claim(claim)
        self.leadership.claimed(held=held)
        _tell("claim" if held else "claim refused", wish, phase=step.phase.value, told=step.message)
        return held


def _is_told(wish: Wish, step: Step) -> bool:
    """Whether the record says all of this already."""
    desired, observed = wish.desired, wish.observed
    if desired is None or observed is None or wish.progress != step.progress:
        return False
    told = (observed.phase, observed.generation, observed.message, observed.blockers)
    return told == (step.phase, desired.generation, step.message, step.blockers)


def _paused(act: Act, wish: Wish, by: str) -> Step:
    """Only say what keeps us from it."""
    who = by or "somebody"
    said = f"every effect is stopped by {who}, on the Lease: next would be {act.key}"
    blocker = Blocker(cause=BlockCause.PAUSED, name=who)
    return Step(phase=ReconcilePhase.BLOCKED, message=said, blockers=(blocker,), progress=carried(wish))


def _tell(what: str, wish: Wish, **more: str) -> None:
    where = {"cluster": wish.cluster, "node": wish.node}
    generation = wish.desired.generation if wish.desired else 0
    _LOG.info("%s", what, extra={"fields": where | {"generation": generation} | more})
