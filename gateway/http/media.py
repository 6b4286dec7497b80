"""Which of the two media types of GraphQL over HTTP a caller gets, and whether its body is JSON."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass


class MediaType(enum.Enum):
    """What an answer is served as. The order decides between equals: see docs/decisions/0007."""

    JSON = "application/json"
    GRAPHQL_RESPONSE = "application/graphql-response+json"

    @property
    def content_type(self) -> str:
        """The value of the Content-Type header."""
        return f"{self.value}; charset=utf-8"


@dataclass(frozen=True, slots=True)
class _Range:
    pattern: str
    quality: float
    position: int

    def specificity(self, media: MediaType) -> int:
        """How exactly this range names a type; 0: not at all."""
        return {media.value: 3, "application/*": 2, "*/*": 1}.get(self.pattern, 0)


def negotiate(accept: str | None) -> MediaType | None:
    """The type that the caller likes best, or None where it takes neither."""
    if not accept or not accept.strip():
        return MediaType.JSON
    ranges = list(_ranges(accept))
    wanted = [(score, media) for media in MediaType if (score := _score(media, ranges)) is not None]
    return max(wanted, key=lambda pair: pair[0])[1] if wanted else None


def is_json(content_type: str | None) -> bool:
    """Whether a body is declared as JSON in UTF-8."""
    name, charset = _parsed(content_type or "")
    return name == MediaType.JSON.value and charset in {"", "utf-8", "utf8"}


def _score(media: MediaType, ranges: list[_Range]) -> tuple[float, int] | None:
    """Quality first, then the order in which the caller names the types."""
    naming = [found for found in ranges if found.specificity(media)]
    if not naming:
        return None
    closest = max(naming, key=lambda found: found.specificity(media))
    return (closest.quality, -closest.position) if closest.quality > 0 else None


def _ranges(accept: str) -> Iterator[_Range]:
    for position, part in enumerate(accept.split(",")):
        name, charset = _parsed(part)
        if name and charset in {"", "utf-8", "utf8"}:
            yield _Range(name, _quality(part), position)


def _parsed(header: str) -> tuple[str, str]:
    name, *parameters = (part.strip().lower() for part in header.split(";"))
    charset = next((text[8:] for text in parameters if text.startswith("charset=")), "")
    return name, charset.strip('"')


def _quality(part: str) -> float:
    text = next((text.strip()[2:] for text in part.lower().split(";") if text.strip().startswith("q=")), "1")
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0
