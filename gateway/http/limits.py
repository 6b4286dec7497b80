"""How much one request may ask before any of it is executed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one request; gateway/settings says why each default is what it is."""

    max_body_bytes: int
    """Of a POST body, or of the query string of a GET."""
    body_seconds: float
    """How long a caller may take to send its body."""
    max_tokens: int
    """Tokens of a document; comments count."""
    max_depth: int
    """Fields within fields, fragments expanded."""
    max_aliases: int
    """Aliases of an operation, fragments expanded."""
    max_directives: int
    """Directives of an operation, fragments expanded."""
    cached_documents: int
    """How many checked documents are remembered."""
