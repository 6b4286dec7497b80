"""The official client's configuration for each way to a cluster, with a token that is kept fresh."""

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from kubernetes.aio.client import Configuration
from kubernetes.aio.config import ConfigException
from kubernetes.aio.config.incluster_config import InClusterConfigLoader
from kubernetes.aio.config.kube_config import KubeConfigLoader

from gateway.errors import SourceRefused, System
from gateway.sources.kubernetes.access import ClusterAccess, InCluster, Kubeconfig, Url, read_kubeconfig

_PATIENCE = 5.0
_RUN_BOUNDED = """
import subprocess, sys
sys.exit(subprocess.run(sys.argv[2:], timeout=float(sys.argv[1])).returncode)
"""
_BEARER = "BearerToken"
_Refresh = Callable[[Configuration], Awaitable[None]]


async def configure(access: ClusterAccess) -> Configuration:
    """Address, trust and credentials for one cluster; SourceRefused where they cannot be had."""
    configuration = Configuration()
    with _refused(access.name):
        refresh = await _fill(configuration, access)
    if refresh is not None:
        await refresh(configuration)
        configuration.refresh_api_key_hook = refresh  # type: ignore[assignment]  # typed as None alone
    return configuration


async def _fill(configuration: Configuration, access: ClusterAccess) -> _Refresh | None:
    match access.way:
        case Kubeconfig():
            return await _from_kubeconfig(configuration, access.name, access.way)
        case InCluster():
            return _from_pod(configuration, access.way)
        case Url():
            return _from_url(configuration, access.way)


def _from_url(configuration: Configuration, way: Url) -> _Refresh | None:
    configuration.host = way.url.rstrip("/")
    if way.ca_file is not None:
        configuration.ssl_ca_cert = _present(way.ca_file)
    if way.token_file is not None:
        return _token_file(way.token_file)
    if way.token is not None:
        configuration.api_key[_BEARER] = f"Bearer {way.token.strip()}"
    return None


def _present(path: Path) -> str:
    if not path.is_file():
        raise ConfigException(f"the CA file {path} is not there")
    return str(path)


def _from_pod(configuration: Configuration, way: InCluster) -> _Refresh:
    # The loader's own refresh keeps the newline of the file and sets the host again (kubernetes 37.0.2).
    environ = {} if way.environ is None else {"environ": way.environ}
    files = {"token_filename": str(way.token_file), "cert_filename": str(way.ca_file)}
    loader: Any = InClusterConfigLoader
    loader(**files, try_refresh_token=False, **environ).load_and_set(configuration)
    return _token_file(way.token_file)


async def _from_kubeconfig(configuration: Configuration, cluster: str, way: Kubeconfig) -> _Refresh | None:
    sections, user = read_kubeconfig(cluster, way)
    plugin = _bounded_plugin(user, way.plugin_within)
    make: Any = KubeConfigLoader
    loader = make(sections, active_context=way.context, config_base_path=str(way.path.parent))
    async with asyncio.timeout(way.plugin_within.total_seconds() + _PATIENCE):
        await loader.load_and_set(configuration)
    if plugin is not None:
        if not configuration.api_key and not configuration.cert_file:
            raise ConfigException(f"the credential plugin {plugin!r} gave no credentials")
        return _plugin_token(plugin, loader) if hasattr(loader, "exec_plugin_expiry") else None
    if "tokenFile" in user and "token" not in user:
        return _token_file(way.path.parent / str(user["tokenFile"]))
    return None


def _bounded_plugin(user: dict[str, Any], within: timedelta) -> str | None:
    """Put the user's plugin under a time limit, since the client has none and would leave it running."""
    plugin = user.get("exec")
    if not isinstance(plugin, dict) or "command" not in plugin:
        return None
    command = str(plugin["command"])
    limit = ["-c", _RUN_BOUNDED, str(within.total_seconds()), command]
    plugin["command"], plugin["args"] = sys.executable, [*limit, *(plugin.get("args") or ())]
    return command


def _token_file(path: Path) -> _Refresh:
    async def refresh(configuration: Configuration) -> None:
        configuration.api_key[_BEARER] = f"Bearer {_token(path)}"

    return refresh


def _token(path: Path) -> str:
    try:
        token = path.read_text().strip()
    except OSError as error:
        raise _refusal(f"the token file {path} cannot be read: {error.strerror}") from error
    if not token:
        raise _refusal(f"the token file {path} is empty")
    return token


def _plugin_token(command: str, loader: Any) -> _Refresh:  # noqa: ANN401  the client has no types here
    """Ask the plugin again before its token expires; a token without an end is kept until it is refused."""

    async def refresh(configuration: Configuration) -> None:
        if not await loader.load_from_exec_plugin():  # at once, until 5 minutes before the end
            raise _refusal(f"the credential plugin {command!r} gave no credentials")
        configuration.api_key[_BEARER] = loader.token

    return refresh


@contextlib.contextmanager
def _refused(cluster: str) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise _refusal(f"cluster {cluster}: no credentials in time") from None
    except (ConfigException, OSError, ValueError) as error:
        raise _refusal(f"cluster {cluster}: {error}") from error


def _refusal(message: str) -> SourceRefused:
    return SourceRefused(System.KUBERNETES, message)
