from collections.abc import AsyncIterator

import pytest

from gateway.simulator.kinds import Resource
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.kubernetes.access import ClusterAccess, Url
from tests.contracts.kubernetes_source import KubernetesSourceContract, Peer

RIGHT, WRONG = "right", "wrong"
CONFIG_MAP = Resource(api_version="v1", kind="ConfigMap")


class Simulated(Peer):
    def __init__(self, store, listener):
        self._store = store
        self._listener = listener
        self.access = ClusterAccess(name="fleet", way=Url(url=listener.url, token=RIGHT))
        self.refused = ClusterAccess(name="fleet", way=Url(url=listener.url, token=WRONG))

    async def put(self, namespace, name, data):
        metadata = {"name": name, "namespace": namespace}
        self._store.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})

    async def delete(self, namespace, name):
        self._store.delete(CONFIG_MAP, name, namespace)

    async def forget_versions(self):
        self._store.expire_history()

    async def stop(self):
        await self._listener.stop()

    async def start(self):
        await self._listener.start()


class TestSimulatedKubernetes(KubernetesSourceContract):
    @pytest.fixture
    async def peer(self) -> AsyncIterator[Simulated]:
        store = Store(serves=[CONFIG_MAP])
        async with Listener(KubernetesApi(store, token=RIGHT)) as listener:
            yield Simulated(store, listener)
