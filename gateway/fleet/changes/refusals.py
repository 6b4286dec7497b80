"""Words for why a change cannot be made, wherever that is the same for several changes."""

from collections.abc import Iterable
from difflib import get_close_matches

from gateway.fleet.problem import ProblemCode, Refused
from gateway.fleet.unknown import Unknown

_MOST_NAMED = 3


def invalid(message: str, *path: str) -> Refused:
    """What was asked makes no sense."""
    return Refused(code=ProblemCode.INVALID, message=message, path=path)


def not_found(what: str, name: str, known: Iterable[str], *path: str) -> Refused:
    """There is no such thing; names those that the caller may have meant."""
    names = sorted(known)
    alike = get_close_matches(name, names, n=_MOST_NAMED, cutoff=0.5) or names[:_MOST_NAMED]
    others = f"there is {', '.join(alike)}" if alike else "there is none at all"
    more = ", and others" if len(names) > len(alike) else ""
    return Refused(
        code=ProblemCode.NOT_FOUND, message=f"there is no {what} {name!r}; {others}{more}", path=path
    )


def undecided(why: Unknown, what: str, *path: str) -> Refused:
    """What is not known decides, because a system is silent or because what it says does not tell."""
    code = ProblemCode.SOURCE_SILENT if why.is_silence else ProblemCode.UNDETERMINED
    return Refused(
        code=code,
        message=f"{what}: {why.reason}",
        path=path or None,
        retryable=why.is_silence and why.retryable,
    )
