"""Questions to a simulated server over real HTTP."""

import contextlib
import json

import aiohttp

from gateway.simulator.listener import Listener


class Client:
    """Asks one server."""

    def __init__(self, session):
        self._session = session

    async def status(self, path, **headers):
        async with self._session.get(path, headers=headers) as answer:
            return answer.status

    async def text(self, path, **headers):
        async with self._session.get(path, headers=headers) as answer:
            return answer.status, await answer.text()

    async def json(self, path, **headers):
        status, text = await self.text(path, **headers)
        return status, json.loads(text)

    async def names(self, path):
        _, listing = await self.json(path)
        return [item["metadata"]["name"] for item in listing["items"]]

    @contextlib.asynccontextmanager
    async def stream(self, path):
        async with self._session.get(path) as answer:
            yield Lines(answer)

    async def events(self, path):
        """All events of a watch that ends by itself."""
        async with self.stream(path) as lines:
            return [event async for event in lines]


class Lines:
    """The events of an open watch, one at a time."""

    def __init__(self, answer):
        self.status = answer.status
        self._content = answer.content

    def __aiter__(self):
        return self

    async def __anext__(self):
        line = await self._content.readline()
        if not line:
            raise StopAsyncIteration
        assert line.endswith(b"\n")
        return json.loads(line)


@contextlib.asynccontextmanager
async def serving(app):
    """A client of the app, which listens on loopback."""
    async with Listener(app) as listener, asking(listener.url) as client:
        yield client


@contextlib.asynccontextmanager
async def asking(url):
    """A client of that address."""
    timeout = aiohttp.ClientTimeout(total=10)
    async with aiohttp.ClientSession(url, timeout=timeout) as session:
        yield Client(session)


def node(name, **rest):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, **rest}


def pod(namespace, name):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": namespace, "name": name}}


def queue(name):
    return {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}}
