"""What came of a write, read off the answer to it.

The answers are those of kube-apiserver 1.36.3.
"""

from http import HTTPStatus

import msgspec

from gateway.fleet.live import Effect, EffectResult
from gateway.sources.kubernetes.api import Reply
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.failures import refusal


class _Cause(msgspec.Struct):
    reason: str = ""
    message: str = ""
    field: str = ""


class _Details(msgspec.Struct):
    causes: list[_Cause] | None = None


class Status(msgspec.Struct):
    """What the server answers when it does not answer with an object."""

    message: str = ""
    reason: str = ""
    details: _Details | None = None

    @property
    def causes(self) -> list[_Cause]:
        """Why, one by one."""
        return (self.details and self.details.causes) or []


_STATUS = msgspec.json.Decoder(Status)
_REFUSED = {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.INTERNAL_SERVER_ERROR}
_ANOTHER = ("uid mismatch", "UID in the precondition", "UID in precondition")
"""How the server says that what has the name now is another thing, or nothing."""


def read_status(reply: Reply) -> Status:
    """What a refusal says; nothing where it is no Status."""
    try:
        return _STATUS.decode(reply.body)
    except UNREADABLE:
        return Status()


def effect_of(reply: Reply, asked: str) -> EffectResult:
    """What came of a write; a SourceError where the server did not judge it."""
    if reply.status < HTTPStatus.MULTIPLE_CHOICES:
        return EffectResult(effect=Effect.DONE)
    status = read_status(reply)
    effect = _effect(reply.status, status)
    if effect is None:
        raise refusal(reply.status, f"{asked}: {reply.status} {status.message}")
    return EffectResult(effect=effect, message=_words(status))


def _effect(code: int, status: Status) -> Effect | None:
    reasons = {cause.reason for cause in status.causes}
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        return Effect.BUDGET if "DisruptionBudget" in reasons else Effect.LATER
    if code == HTTPStatus.CONFLICT:
        return _conflict(reasons, status.message)
    if status.reason == "NotFound" or any(cause.field == "metadata.uid" for cause in status.causes):
        return Effect.GONE
    return Effect.REFUSED if code in _REFUSED else None


def _conflict(reasons: set[str], message: str) -> Effect:
    if "FieldManagerConflict" in reasons:
        return Effect.CONFLICT
    return Effect.GONE if any(words in message for words in _ANOTHER) else Effect.MOVED


def _words(status: Status) -> str:
    """Every sentence of a refusal once: that of a budget names it only in the causes."""
    said = [status.message, *(cause.message for cause in status.causes)]
    return " ".join(text for at, text in enumerate(said) if not any(text in other for other in said[:at]))
