"""What list and watch promise, whoever serves the Kubernetes API."""

import asyncio
import contextlib
import secrets
from abc import ABC, abstractmethod
from datetime import timedelta

import msgspec
import pytest

from gateway.errors import System
from gateway.fleet.source import SourceKey, SourceState
from gateway.sources.kubernetes.access import ClusterAccess
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.kubernetes.upkeep import Timing, Upkeep
from gateway.sources.kubernetes.watch import WatchRhythm
from tests.fakes.feed import RecordingFeed

QUICK = WatchRhythm(
    watch=timedelta(seconds=1),
    first_pause=timedelta(milliseconds=20),
    longest_pause=timedelta(milliseconds=200),
    absent=timedelta(milliseconds=200),
    page=2,
)
KEY = SourceKey(System.KUBERNETES, "fleet", "configmaps")


class Peer(ABC):
    """A Kubernetes API server, and what a test does to it."""

    access: ClusterAccess
    refused: ClusterAccess
    """The same with a token that the server does not know."""

    @abstractmethod
    async def put(self, namespace, name, data):
        """Create or replace a ConfigMap."""

    @abstractmethod
    async def delete(self, namespace, name):
        """Delete a ConfigMap."""

    @abstractmethod
    async def forget_versions(self):
        """Answer every version told so far with 410."""

    @abstractmethod
    async def stop(self):
        """Take no connection any more, and drop those that are open."""

    @abstractmethod
    async def start(self):
        """Answer again."""


class _Settings(msgspec.Struct):
    gpus: str


class _ConfigMap(msgspec.Struct):
    data: _Settings


def read_gpus(raw, _):
    """The record of a ConfigMap: its key `gpus`, without which it cannot be read."""
    return msgspec.json.decode(raw, type=_ConfigMap).data.gpus


def config_maps(namespace, **more):
    """The ConfigMaps of one namespace: a kind that no server judges."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    return Kind(**{"path": path, "read": read_gpus, "namespaced": True, **more})


@contextlib.asynccontextmanager
async def watching(access, kind, rhythm=QUICK):
    """A feed that is told of a kind while the block runs."""
    feed, api = RecordingFeed(), Api(access)
    upkeep = Upkeep(api=api, feed=feed, timing=Timing(watch=rhythm))
    task = asyncio.create_task(upkeep.watch(System.KUBERNETES, kind).run())
    try:
        yield feed
    finally:
        task.cancel()
        await asyncio.wait([task])
        await api.close()
    assert task.cancelled()


def holds(feed, rows):
    """Whether the feed holds these values by name."""
    return lambda: (
        {name: gpus for (_, name), gpus in feed.rows.get(KEY, {("", "untold"): ""}).items()} == rows
    )


class KubernetesSourceContract:
    """Inherited by the tests of each server; `peer` is theirs."""

    @pytest.fixture
    def namespace(self):
        """A namespace that no other test uses."""
        return f"contract-{secrets.token_hex(4)}"

    async def test_lists_what_is_there_page_by_page_and_follows_each_change(self, peer, namespace):
        for at in range(5):
            await peer.put(namespace, f"n{at}", {"gpus": str(at)})
        async with watching(peer.access, config_maps(namespace)) as feed:
            await feed.until(holds(feed, {"n0": "0", "n1": "1", "n2": "2", "n3": "3", "n4": "4"}))
            await peer.put(namespace, "n5", {"gpus": "8"})
            await peer.put(namespace, "n0", {"gpus": "7"})
            await peer.delete(namespace, "n1")
            await feed.until(holds(feed, {"n0": "7", "n2": "2", "n3": "3", "n4": "4", "n5": "8"}))
            assert feed.replaced == 1

    async def test_a_list_of_nothing_is_nothing_and_is_fresh(self, peer, namespace):
        async with watching(peer.access, config_maps(namespace)) as feed:
            await feed.until(holds(feed, {}))
            contact = feed.contacts[KEY]
            assert contact.state(contact.last_success_at) is SourceState.FRESH

    async def test_goes_on_where_a_watch_ended_without_listing_again(self, peer, namespace):
        async with watching(peer.access, config_maps(namespace)) as feed:
            await feed.until(holds(feed, {}))
            for at in range(3):
                await peer.put(namespace, "n", {"gpus": str(at)})
                await feed.until(holds(feed, {"n": str(at)}))
                told = feed.contacts[KEY].last_success_at
                await feed.until(
                    lambda told=told: feed.contacts[KEY].last_success_at > told + QUICK.watch / 2
                )
            assert feed.replaced == 1

    async def test_lists_again_when_its_version_is_forgotten(self, peer, namespace):
        await peer.put(namespace, "n", {"gpus": "1"})
        await peer.put(namespace, "goes", {"gpus": "1"})
        async with watching(peer.access, config_maps(namespace)) as feed:
            await feed.until(holds(feed, {"n": "1", "goes": "1"}))
            await peer.forget_versions()
            await peer.put(namespace, "n", {"gpus": "2"})
            await peer.delete(namespace, "goes")
            await feed.until(holds(feed, {"n": "2"}))
            await feed.until(lambda: feed.replaced > 1)
            assert feed.rows[KEY] == {(namespace, "n"): "2"}

    async def test_names_an_object_that_cannot_be_read_while_the_others_go_on(self, peer, namespace):
        await peer.put(namespace, "good", {"gpus": "1"})
        await peer.put(namespace, "odd", {"cards": "1"})
        async with watching(peer.access, config_maps(namespace)) as feed:
            await feed.until(holds(feed, {"good": "1"}))
            (skipped,) = feed.contacts[KEY].skipped
            assert skipped.subject == f"configmaps/{namespace}/odd"
            assert "gpus" in skipped.problem
            await peer.put(namespace, "worse", {"cards": "1"})
            await peer.put(namespace, "good", {"gpus": "2"})
            await feed.until(holds(feed, {"good": "2"}))
            assert {it.subject.rpartition("/")[2] for it in feed.contacts[KEY].skipped} == {"odd", "worse"}
            await peer.put(namespace, "odd", {"gpus": "3"})
            await peer.delete(namespace, "worse")
            await feed.until(holds(feed, {"good": "2", "odd": "3"}))
            await feed.until(lambda: not feed.contacts[KEY].skipped)

    async def test_what_a_cluster_does_not_serve_is_absent(self, peer):
        kind = Kind(path="/apis/nobody.example/v1/configmaps", read=read_gpus, optional=True)
        async with watching(peer.access, kind) as feed:
            await feed.until(lambda: feed.contacts[KEY].absent)
            assert feed.rows[KEY] == {}
            assert feed.contacts[KEY].error is None

    async def test_what_every_cluster_serves_is_misread_where_it_is_not_there(self, peer):
        kind = Kind(path="/api/v9/configmaps", read=read_gpus)
        async with watching(peer.access, kind) as feed:
            await feed.until(lambda: feed.contacts[KEY].consecutive_failures > 1)
            assert "404" in feed.contacts[KEY].error
            assert not feed.contacts[KEY].absent
            assert KEY not in feed.rows

    async def test_a_wrong_token_is_told_as_refused(self, peer, namespace):
        async with watching(peer.refused, config_maps(namespace)) as feed:
            await feed.until(lambda: feed.contacts[KEY].consecutive_failures > 1)
            contact = feed.contacts[KEY]
            assert "401 Unauthorized" in contact.error
            assert not contact.retryable
            assert contact.state(contact.last_attempt_at) is SourceState.NEVER
            assert KEY not in feed.rows

    async def test_keeps_what_it_holds_through_an_outage_and_then_goes_on(self, peer, namespace):
        await peer.put(namespace, "n", {"gpus": "1"})
        async with watching(peer.access, config_maps(namespace)) as feed:
            await feed.until(holds(feed, {"n": "1"}))
            await peer.stop()
            try:
                await feed.until(lambda: feed.contacts[KEY].consecutive_failures > 1)
                contact = feed.contacts[KEY]
                assert contact.retryable
                assert contact.state(contact.last_attempt_at) is SourceState.STALE
                assert feed.rows[KEY] == {(namespace, "n"): "1"}
            finally:
                await peer.start()
            await peer.put(namespace, "n", {"gpus": "2"})
            await feed.until(holds(feed, {"n": "2"}))
            assert feed.contacts[KEY].consecutive_failures == 0
