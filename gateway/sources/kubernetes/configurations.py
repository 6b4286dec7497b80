"""The MIG manager's configurations: those that it reads, and those that the gateway adds to its own file.

The file is one string of a ConfigMap, so two writers of it would undo each other: the gateway owns it whole,
and only adds entries whose names are hashes of what they say (gpu-operator a22dbf6, mig-parted bd7160f).
"""

from typing import Any, TypeAlias

import yaml

from gateway.errors import SourceMisread, System
from gateway.fleet.layout_text import layouts_document
from gateway.fleet.live import Effect, EffectResult, LayoutsFile
from gateway.sources.kubernetes.api import Request
from gateway.sources.kubernetes.layouts import LAYOUTS_KEY
from gateway.sources.kubernetes.live import LiveApi
from gateway.sources.kubernetes.migconfigs import DaemonSets, mounted

CONFIG_MAP, PREFIX = "gpu-gateway-mig-config", "gw-"
_FIRST = {"all-disabled": "- devices: all\n  mig-enabled: false\n"}
"""The operator gives this one to nodes without a label: a file without it would fail them all."""
_MIG_MANAGER = [("labelSelector", "app=nvidia-mig-manager")]
_Texts: TypeAlias = dict[str, str]
_Object: TypeAlias = dict[str, Any]


class Configurations:
    """What the MIG manager of one cluster can be told to do."""

    def __init__(self, api: LiveApi, namespace: str) -> None:
        self._api = api
        self._namespace = namespace

    async def read(self) -> LayoutsFile:
        """Every configuration that the manager knows, and those that the gateway added to its own file."""
        mounts = await self._mounts()
        ours = self._entries(await self._config_map(CONFIG_MAP), CONFIG_MAP)
        return LayoutsFile(
            names=frozenset(ours if mounts == CONFIG_MAP else await self._names(mounts)),
            ours={name: text for name, text in ours.items() if name.startswith(PREFIX)},
            is_ours=mounts == CONFIG_MAP,
            where="no ConfigMap, for there is no MIG manager" if mounts is None else self._where(mounts),
        )

    async def add(self, name: str, text: str) -> EffectResult:
        """Add an entry, a list of the manager's rules in YAML; one of that name stays as it is."""
        found = await self._config_map(CONFIG_MAP)
        entries = self._entries(found, CONFIG_MAP)
        if name in entries:
            return EffectResult(effect=Effect.DONE)
        document = layouts_document({name: text} | entries)
        if found is None:
            return await self._api.write(self._creation(document))
        body = found | {"data": found.get("data", {}) | {LAYOUTS_KEY: document}}
        query = [("fieldManager", "gpu-gateway")]
        return await self._api.write(
            Request(method="PUT", path=self._path(CONFIG_MAP), query=query, body=body)
        )

    def _creation(self, text: str) -> Request:
        metadata = {"name": CONFIG_MAP, "labels": {"app.kubernetes.io/managed-by": "gpu-gateway"}}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {LAYOUTS_KEY: text}}
        query = [("fieldManager", "gpu-gateway")]
        return Request(method="POST", path=self._path(), query=query, body=body)

    async def _mounts(self) -> str | None:
        """The ConfigMap that the manager reads: its DaemonSet mounts the one that ClusterPolicy names."""
        path = f"/apis/apps/v1/namespaces/{self._namespace}/daemonsets"
        found = await self._api.read(path, DaemonSets, _MIG_MANAGER)
        return next((place.name for place in mounted(found)), None) if found else None

    async def _names(self, config_map: str | None) -> _Texts:
        if config_map is None:
            return {}
        found = await self._config_map(config_map)
        if found is None:
            raise SourceMisread(System.KUBERNETES, f"{self._where(config_map)} is mounted, and is not there")
        return self._entries(found, config_map)

    async def _config_map(self, name: str) -> _Object | None:
        return await self._api.read(self._path(name), _Object)

    def _entries(self, found: _Object | None, name: str) -> _Texts:
        if found is None:
            return _FIRST if name == CONFIG_MAP else {}
        try:
            entries = yaml.safe_load(found["data"][LAYOUTS_KEY])["mig-configs"]
            return {name: yaml.safe_dump(rules, sort_keys=False) for name, rules in entries.items()}
        except (yaml.YAMLError, LookupError, TypeError, AttributeError) as error:
            where = f"{self._where(name)}: {LAYOUTS_KEY}"
            raise SourceMisread(System.KUBERNETES, f"{where} holds no MIG layouts: {error}") from error

    def _path(self, name: str = "") -> str:
        return f"/api/v1/namespaces/{self._namespace}/configmaps/{name}".rstrip("/")

    def _where(self, name: str) -> str:
        return f"ConfigMap {self._namespace}/{name}"
