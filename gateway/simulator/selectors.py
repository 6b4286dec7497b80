"""Label selectors of lists, as far as readers use them: equality."""

from collections.abc import Callable, Mapping

from gateway.simulator.store import Json, Stored


def selector(text: str) -> Callable[[Stored], bool] | None:
    """Which objects `a=b,c==d` selects, None for all; raises ValueError for every other form."""
    if not text:
        return None
    wanted = dict(map(_pair, text.split(",")))
    return lambda stored: wanted.items() <= _labels(stored.body).items()


def _pair(term: str) -> tuple[str, str]:
    key, sign, value = term.partition("=")
    if not key or not sign or key.endswith("!"):
        raise ValueError(f"the simulator does not know the labelSelector {term!r}")
    return key, value.removeprefix("=")


def _labels(body: Json) -> Mapping[str, Json]:
    metadata = body.get("metadata") if isinstance(body, Mapping) else None
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    return labels if isinstance(labels, Mapping) else {}
