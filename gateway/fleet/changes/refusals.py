"""Words for why a change cannot be made, wherever that is the same for several changes."""

from bisect import bisect
from collections.abc import Iterable
from difflib import get_close_matches

from gateway.fleet.problem import ProblemCode, Refused
from gateway.fleet.unknown import Unknown

_MOST_NAMED = 3
_COMPARED = 200
"""Names on either side, in their order: to compare with each of 10,000 takes long."""
_LONGEST = 253
"""Characters of any name in Kubernetes."""


def invalid(message: str, *path: str) -> Refused:
    """What was asked makes no sense."""
    return Refused(code=ProblemCode.INVALID, message=message, path=path)


def not_found(what: str, name: str, known: Iterable[str], *path: str) -> Refused:
    """There is no such thing; names those that the caller may have meant."""
    names = sorted(known)
    place = bisect(names, name)
    near = names[max(0, place - _COMPARED) : place + _COMPARED]
    alike = get_close_matches(name[:_LONGEST], near, n=_MOST_NAMED, cutoff=0.5) or names[:_MOST_NAMED]
    others = f"there is {', '.join(alike)}" if alike else "there is none at all"
    more = ", and others" if len(names) > len(alike) else ""
    said = f"there is no {what} {name[:_LONGEST]!r}; {others}{more}"
    return Refused(code=ProblemCode.NOT_FOUND, message=said, path=path)


def undecided(why: Unknown, what: str, *path: str) -> Refused:
    """What is not known decides, because a system is silent or because what it says does not tell."""
    code = ProblemCode.SOURCE_SILENT if why.is_silence else ProblemCode.UNDETERMINED
    return Refused(
        code=code,
        message=f"{what}: {why.reason}",
        path=path or None,
        retryable=why.is_silence and why.retryable,
    )
