"""How a cluster is reached: three ways, told by the settings and checked before anything is asked."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from gateway.errors import Invalid

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubeconfig:
    """What a kubeconfig says, credential plugins included."""

    path: Path
    context: str | None = None
    """None: the file's current context."""
    plugin_within: timedelta = timedelta(seconds=20)
    """How long a credential plugin may take before it is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InCluster:
    """The service account of the pod that the gateway runs in."""

    token_file: Path = _SERVICE_ACCOUNT / "token"
    ca_file: Path = _SERVICE_ACCOUNT / "ca.crt"
    environ: Mapping[str, str] | None = None
    """Where the address of the API server stands; None: the environment of this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """An address and a token. Plain http, with or without a token, only on loopback."""

    url: str
    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None
    """Read anew for each request, so that a renewed token is used at once."""
    ca_file: Path | None = None
    """None: the authorities that the machine trusts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess:
    """A cluster's name in the graph, and how its API server is reached.

    A proxy that the environment names (HTTPS_PROXY, NO_PROXY) is used, as kubectl does.
    """

    name: str
    way: Kubeconfig | InCluster | Url


def check(access: ClusterAccess) -> None:
    """Raise Invalid where an access makes no sense, before anything is asked."""
    match access.way:
        case Kubeconfig():
            read_kubeconfig(access.name, access.way)
        case Url():
            _check_url(access.name, access.way)
        case InCluster():
            pass  # A pod may start before its files are there: that is waited out and told.


def read_kubeconfig(cluster: str, way: Kubeconfig) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the file says, and within it the user of the chosen context; empty where it names none."""
    sections = _sections(cluster, way.path)
    chosen = way.context or sections.get("current-context")
    if chosen is None:
        raise Invalid(f"cluster {cluster}: {way.path} has no current-context: name one with `context`")
    context = _named(sections, "contexts", "context", chosen)
    if context is None:
        raise Invalid(f"cluster {cluster}: {way.path} has no context {chosen!r}: choose one that it has")
    if _named(sections, "clusters", "cluster", context.get("cluster")) is None:
        raise Invalid(f"cluster {cluster}: {way.path} has no cluster {context.get('cluster')!r}")
    return sections, _named(sections, "users", "user", context.get("user")) or {}


def _sections(cluster: str, path: Path) -> dict[str, Any]:
    try:
        sections = yaml.safe_load(path.read_text())
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        said = " ".join(str(error).split())  # YAML's errors are of several lines
        raise Invalid(f"cluster {cluster}: the kubeconfig {path} cannot be read: {said}") from None
    if not isinstance(sections, dict):
        raise Invalid(f"cluster {cluster}: {path} is no kubeconfig")
    return sections


def _named(sections: dict[str, Any], section: str, word: str, name: object) -> dict[str, Any] | None:
    entries = sections.get(section)
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry.get("name") == name and isinstance(entry.get(word), dict):
            found: dict[str, Any] = entry[word]
            return found
    return None


def _check_url(cluster: str, way: Url) -> None:
    try:
        parts = urlsplit(way.url)
        host = parts.hostname
    except ValueError:
        host = None
    if host is None or parts.scheme not in {"http", "https"}:
        raise Invalid(f"cluster {cluster}: {way.url!r} is no address: write https://host:port")
    if parts.scheme == "http" and not _is_loopback(host):
        raise Invalid(f"cluster {cluster}: {way.url} would be spoken to in the clear: use https")
    if way.token is not None and way.token_file is not None:
        raise Invalid(f"cluster {cluster}: give token_file or token, not both")
    if parts.scheme == "https" and way.token is None and way.token_file is None:
        raise Invalid(f"cluster {cluster}: {way.url} needs a token: set token_file")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
