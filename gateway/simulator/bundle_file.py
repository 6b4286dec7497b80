"""bundle.yaml: when a bundle was captured, and what its cluster is called."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gateway.errors import Invalid
from gateway.simulator.documents import Unreadable, documents
from gateway.simulator.store import Json

_KEYS = ("capturedAt", "cluster", "kubernetesVersion")


class BundleError(Invalid):
    """A directory cannot be taken as a bundle; the message is for whoever wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFile:
    """What bundle.yaml says, or leaves to the defaults."""

    captured_at: datetime | None = None
    cluster: str = "fleet"
    kubernetes_version: str = "v1.36.3"


def read_bundle_file(directory: Path) -> BundleFile:
    """The directory's bundle.yaml; the defaults where there is none."""
    file = directory / "bundle.yaml"
    if not file.exists():
        return BundleFile()
    content = _content(file)
    mistakes = [f"{file}: {mistake}" for mistake in _mistakes(content)]
    if mistakes:
        raise BundleError("\n".join(mistakes))
    captured_at = content.get("capturedAt")
    return BundleFile(
        captured_at=rfc3339(captured_at) if captured_at is not None else None,
        cluster=content.get("cluster", "fleet"),
        kubernetes_version=content.get("kubernetesVersion", "v1.36.3"),
    )


def rfc3339(text: str) -> datetime | None:
    """The moment that the text says; None where it says none, or leaves its zone out."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _content(file: Path) -> Mapping[str, Json]:
    found = list(documents(file))
    if not found:
        return {}
    first = found[0]
    if isinstance(first, Unreadable):
        raise BundleError(f"{file}: {first.path}: {first.problem}".replace(": :", ":"))
    if not isinstance(first.value, Mapping):
        raise BundleError(f"{file}: is not a mapping: write `key: value` with the keys {', '.join(_KEYS)}")
    return first.value


def _mistakes(content: Mapping[str, Json]) -> Iterator[str]:
    for key in content:
        if key not in _KEYS:
            close = difflib.get_close_matches(str(key), _KEYS, n=1, cutoff=0.5)
            fix = f"write {close[0]}" if close else f"remove it; the keys are {', '.join(_KEYS)}"
            yield f"{key}: unknown key: {fix}"
    captured_at, cluster = content.get("capturedAt"), content.get("cluster", "fleet")
    if captured_at is not None and not (isinstance(captured_at, str) and rfc3339(captured_at)):
        yield f"capturedAt: {captured_at!r} is no RFC 3339 time with a zone: write it as 2026-11-29T19:10:08Z"
    if not (isinstance(cluster, str) and cluster):
        yield f"cluster: {cluster!r} is no name: write a word, in quotes where it looks like a number"
    version = content.get("kubernetesVersion", "v1.36.3")
    if not (isinstance(version, str) and re.fullmatch(r"v\d+\.\d+.*", version)):
        yield f"kubernetesVersion: {version!r} is no version: write it as v1.36.3"
