"""Label and field selectors of lists, as far as readers use them: equality."""

from collections.abc import Callable, Mapping

from gateway.simulator.store import Json, Stored


def selector(labels: str, fields: str = "") -> Callable[[Stored], bool] | None:
    """Which objects `a=b,c==d` selects, None for all; raises ValueError for every other form."""
    if not labels and not fields:
        return None
    wanted, node = dict(map(_pair, labels.split(","))) if labels else {}, _node(fields)
    return lambda stored: wanted.items() <= _labels(stored.body).items() and node in {"", _bound(stored.body)}


def _pair(term: str) -> tuple[str, str]:
    key, sign, value = term.partition("=")
    if not key or not sign or key.endswith("!"):
        raise ValueError(f"the simulator does not know the selector {term!r}")
    return key, value.removeprefix("=")


def _node(fields: str) -> str:
    """The node whose pods are asked for; empty for all."""
    key, value = _pair(fields) if fields else ("spec.nodeName", "")
    if key != "spec.nodeName":
        raise ValueError(f"field label not supported: {key}")
    return value


def _labels(body: Json) -> Mapping[str, Json]:
    metadata = body.get("metadata") if isinstance(body, Mapping) else None
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    return labels if isinstance(labels, Mapping) else {}


def _bound(body: Json) -> Json:
    spec = body.get("spec") if isinstance(body, Mapping) else None
    return spec.get("nodeName") if isinstance(spec, Mapping) else None
