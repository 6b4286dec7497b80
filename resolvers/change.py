"""How a change goes: judged by one fleet, made in one transaction, and seen by whatever is asked next."""

import hashlib
from dataclasses import replace

import msgspec

from gateway.errors import SourceError, SourceUnavailable
from gateway.fleet.change import Change, Once, Order, Written
from gateway.fleet.changes.judge import judge
from gateway.fleet.ports import PlatformWriter
from gateway.fleet.problem import Problem, ProblemCode, Refused
from resolvers.change_inputs import ChangeInput
from resolvers.context import Context
from resolvers.payload import Result
from resolvers.plan import plan

_LONGEST_KEY = 200
_LONGEST_REASON = 500


async def make(context: Context, asked: ChangeInput) -> Result:
    """Make a change, or say why not; from then on the request sees the fleet as it is with it."""
    context.renew()
    refused = _unfit(asked)
    result = Result(dry_run=asked.dry_run, problem=refused) if refused else await _made(context, asked)
    context.renew()
    return result


async def _made(context: Context, asked: ChangeInput) -> Result:
    if context.writer is None:
        return Result(dry_run=asked.dry_run, problem=_NO_RECORDS)
    try:
        outcome = await _outcome(context, context.writer, asked)
    except SourceError as silent:
        outcome = _silence(silent)
    if isinstance(outcome, Problem):
        return Result(dry_run=asked.dry_run, problem=outcome)
    return Result(dry_run=asked.dry_run, changes=outcome.changes, generation=outcome.generation)


async def _outcome(context: Context, writer: PlatformWriter, asked: ChangeInput) -> Written | Problem:
    """A repeat is answered as it was the first time: by now its own effect could be against it."""
    order = Order(change=asked.change, actor=context.actor, once=_once(asked))
    known = await writer.repeated(order) if order.once else None
    if known:
        return known
    judged = judge(order.change, context.fleet)
    if judged.problem:
        return judged.problem
    if asked.dry_run:
        return plan(judged.change, context.fleet)
    return await writer.write(replace(order, change=judged.change))


def _unfit(asked: ChangeInput) -> Refused | None:
    """What is wrong with a key or a reason, whatever is to be changed."""
    key, reason = asked.idempotency_key, getattr(asked, "reason", None)
    if key is not None and not (0 < len(key) <= _LONGEST_KEY and key.isprintable()):
        message = f"idempotencyKey: take 1 to {_LONGEST_KEY} printable characters, such as a UUID"
        return Refused(code=ProblemCode.INVALID, message=message, path=("idempotencyKey",))
    if reason and len(reason) > _LONGEST_REASON:
        message = f"reason has {len(reason):,} characters: at most {_LONGEST_REASON} are kept"
        return Refused(code=ProblemCode.INVALID, message=message, path=("reason",))
    if reason and "\0" in reason:
        message = "reason holds the character U+0000, which cannot be kept: leave it out"
        return Refused(code=ProblemCode.INVALID, message=message, path=("reason",))
    return None


def _once(asked: ChangeInput) -> Once | None:
    if asked.idempotency_key is None or asked.dry_run:
        return None
    return Once(key=asked.idempotency_key, fingerprint=_fingerprint(asked.change))


def _fingerprint(change: Change) -> bytes:
    """Tell what is asked from all else: as it was asked, before anything of the fleet is filled in."""
    asked = msgspec.json.encode([type(change).__name__, change], order="deterministic")
    return hashlib.sha256(asked).digest()


def _silence(error: SourceError) -> Refused:
    return Refused(
        code=ProblemCode.SOURCE_SILENT,
        message=str(error),
        retryable=isinstance(error, SourceUnavailable),
    )


_NO_RECORDS = Refused(
    code=ProblemCode.NO_RECORD,
    message="this gateway has no platform records, so there is nothing to change: configure its Postgres",
)
