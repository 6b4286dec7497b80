"""What a poll tells of a simulated cluster."""

import asyncio
import contextlib

from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.upkeep import Upkeep
from tests.fakes.feed import RecordingFeed


@contextlib.asynccontextmanager
async def polling(poll, simulated):
    """A feed that a poll tells of a cluster while the block runs."""
    feed = RecordingFeed()
    async with Listener(simulated) as listener:
        api = Api(ClusterAccess(name="fleet", way=Url(url=listener.url)))
        task = asyncio.create_task(poll(Upkeep(api=api, feed=feed)).run())
        try:
            yield feed
        finally:
            task.cancel()
            await asyncio.wait([task])
            await api.close()


async def told(poll, key, *objects, faults=None):
    """The rows of a cluster with these objects, and how contact stands."""
    simulated = KubernetesApi(Store(objects))
    simulated.faults.update(faults or {})
    async with polling(poll, simulated) as feed:
        await feed.until(lambda: feed.contacts[key].last_attempt_at is not None)
        return feed.rows.get(key, {}), feed.contacts[key]
