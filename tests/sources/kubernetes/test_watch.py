import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from gateway.errors import System
from gateway.fleet.source import SourceKey, SourceState
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.nodes import nodes
from gateway.sources.kubernetes.upkeep import Timing, Upkeep
from gateway.sources.kubernetes.watch import WatchRhythm
from tests.contracts.kubernetes_source import KEY, QUICK, config_maps, holds, watching
from tests.fakes.feed import RecordingFeed
from tests.sources.kubernetes.scripted import MUTE, Answer, a_list, a_watch, an_object, error, event, serving

MAPS = config_maps("a")
OUTSIZE = "x" * (5 * 2**20)


def rows(*names):
    return dict.fromkeys(names, "1")


async def test_asks_for_bookmarks_and_goes_on_from_the_last_version_it_was_told():
    lines = event("ADDED", an_object("b", "12")), event("BOOKMARK", {"metadata": {"resourceVersion": "15"}})
    async with serving([a_list(an_object("a"))], [a_watch(*lines), MUTE]) as (script, access):
        async with watching(access, MAPS) as feed:
            await feed.until(holds(feed, rows("a", "b")))
            await feed.until(lambda: len(script.watched) > 1)
        first, second = script.watched[:2]
        assert first == {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": "10",
            "timeoutSeconds": "1",
        }
        assert second["resourceVersion"] == "15"
        assert script.listed == [{"limit": "2"}]


async def test_pages_are_put_together_and_told_at_once():
    pages = [a_list(an_object("a"), an_object("b"), go_on="next"), a_list(an_object("c"))]
    async with serving(pages) as (script, access), watching(access, MAPS) as feed:
        await feed.until(holds(feed, rows("a", "b", "c")))
        assert script.listed == [{"limit": "2"}, {"limit": "2", "continue": "next"}]
        assert feed.replaced == 1


async def test_a_page_that_is_gone_starts_the_list_over_and_its_token_is_not_followed():
    body = {"kind": "Status", "code": 410, "metadata": {"continue": "inconsistent"}}
    gone = Answer(json.dumps(body).encode(), status=410)
    pages = [a_list(an_object("old"), go_on="next"), gone, a_list(an_object("new"))]
    async with serving(pages) as (script, access), watching(access, MAPS) as feed:
        await feed.until(holds(feed, rows("new")))
        assert [query.get("continue") for query in script.listed] == [None, "next", None]


async def test_a_list_that_goes_on_with_itself_is_misread():
    async with serving([a_list(an_object("a"), go_on="same")]) as (_, access), watching(access, MAPS) as feed:
        await feed.until(lambda: feed.contacts[KEY].consecutive_failures > 1)
        assert "a page goes on with itself" in feed.contacts[KEY].error
        assert KEY not in feed.rows


async def test_what_came_before_a_410_in_a_watch_is_told_and_then_everything_is_listed():
    watches = [a_watch(event("ADDED", an_object("b")), error(410)), MUTE]
    async with serving([a_list(an_object("a")), a_list(an_object("c"))], watches) as (script, access):
        async with watching(access, MAPS) as feed:
            await feed.until(holds(feed, rows("a", "b")))
            await feed.until(holds(feed, rows("c")))
        assert len(script.listed) == 2


@pytest.mark.parametrize(
    ("watch", "said"),
    [
        (a_watch(event("ADDED", an_object("b"))[:-1]), "a line was cut"),
        (a_watch(error(500, "etcdserver: request timed out")), "500 etcdserver: request timed out"),
        (a_watch(event("ERROR", "what")), "an ERROR without a Status"),
        (a_watch(error(403, "no more")), "403 no more"),
        (Answer(b"busy", status=429, content_type="text/plain"), "429 Too Many Requests (text/plain)"),
        (Answer(b"<html>", status=502, content_type="text/html"), "502 Bad Gateway (text/html)"),
    ],
)
async def test_a_watch_that_breaks_is_told_and_goes_on_from_where_it_was(watch, said):
    lists = [a_list(an_object("a")), a_list(version="10")]
    async with serving(lists, [watch, MUTE]) as (script, access), watching(access, MAPS) as feed:
        await feed.until(lambda: feed.contacts[KEY].consecutive_failures == 1)
        assert said in feed.contacts[KEY].error
        await feed.until(lambda: len(script.watched) > 1)
        assert script.watched[1]["resourceVersion"] == "10"
        assert script.listed == [{"limit": "2"}, {"limit": "1"}]
        assert holds(feed, rows("a"))()


async def test_a_server_that_comes_back_with_an_older_version_is_listed_anew():
    lists = [a_list(an_object("a"), version="99"), a_list(version="40"), a_list(an_object("b"), version="41")]
    async with serving(lists, [a_watch(error(500)), MUTE]) as (script, access):
        async with watching(access, MAPS) as feed:
            await feed.until(holds(feed, rows("b")))
            await feed.until(lambda: len(script.watched) > 1)
        assert script.watched[1]["resourceVersion"] == "41"


@pytest.mark.parametrize(
    "watch",
    [
        a_watch(b"nonsense\n"),
        a_watch(b"[" * 100_000 + b"\n"),
        a_watch(event("ADDED", {"metadata": {}})),
        a_watch(event("MODIFIED", an_object("a", padding=OUTSIZE))),
        Answer(b"<html>", content_type="text/html"),
    ],
    ids=["no JSON", "too deep", "no name", "too long", "HTML"],
)
async def test_a_line_that_tells_nothing_makes_it_list_again(watch):
    lists = [a_list(an_object("a")), a_list(an_object("b"))]
    async with serving(lists, [watch, MUTE]) as (_, access), watching(access, MAPS) as feed:
        await feed.until(holds(feed, rows("a")))
        await feed.until(holds(feed, rows("b")))


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b""),
        Answer(b"<html>busy</html>", content_type="text/html"),
        Answer(b'{"metadata": {"resourceVersion": "7"}, "items": null}'),
        Answer(b'{"metadata": {"resourceVersion": "7"}}'),
        Answer(b'{"metadata": {"resourceVersion": ""}, "items": []}'),
        Answer(b'{"kind": "Status", "metadata": {}, "status": "Failure", "code": 500}'),
        Answer(b'{"metadata": {"resourceVersion": "7"}, "items": [{"metadata"'),
        Answer(b"[]"),
        Answer(b"[" * 100_000),
        Answer(b'{"items": []}', status=201),
    ],
)
async def test_an_answer_that_is_no_list_is_an_error_and_never_an_empty_one(answer):
    async with serving([answer]) as (_, access), watching(access, MAPS) as feed:
        await feed.until(lambda: feed.contacts[KEY].consecutive_failures > 1)
        assert KEY not in feed.rows
        contact = feed.contacts[KEY]
        assert contact.state(contact.last_attempt_at) is SourceState.NEVER


async def test_a_server_that_says_404_to_everything_is_not_taken_for_one_without_the_kind():
    nothing = Answer(b"404 page not found\n", status=404, content_type="text/plain")
    kind = config_maps("a", optional=True)
    async with serving([nothing]) as (_, access), watching(access, kind) as feed:
        await feed.until(lambda: feed.contacts[KEY].consecutive_failures > 1)
        assert not feed.contacts[KEY].absent
        assert "/version: 404" in feed.contacts[KEY].error


async def test_the_last_word_on_an_object_counts_within_one_chunk():
    lines = [
        event("ADDED", an_object("b")),
        event("DELETED", an_object("b")),
        event("DELETED", an_object("a")),
        event("ADDED", an_object("a", data={"gpus": "2"})),
        b"\n",
        event("ADDED", an_object("c")),
    ]
    watch = a_watch(*lines, stays=True)
    async with serving([a_list(an_object("a"))], [watch]) as (_, access), watching(access, MAPS) as feed:
        await feed.until(holds(feed, {"a": "2", "c": "1"}))


async def test_an_object_in_a_list_that_has_no_name_is_named_by_its_place():
    objects = an_object("a"), {"odd": 1}, an_object("c")
    async with serving([a_list(*objects)]) as (_, access), watching(access, MAPS) as feed:
        await feed.until(holds(feed, rows("a", "c")))
        (skipped,) = feed.contacts[KEY].skipped
        assert (skipped.subject, skipped.raw) == ("configmaps/items[1]", '{"odd": 1}')


async def test_a_bare_nan_costs_only_the_value_in_whose_place_it_stands():
    node = {"metadata": {"name": "gpu-01", "resourceVersion": "11"}, "status": {}}
    node["status"]["capacity"] = {"nvidia.com/gpu": float("nan"), "amd.com/gpu": "2"}
    key = SourceKey(System.KUBERNETES, "fleet", "nodes")
    watch = a_watch(event("ADDED", {**node, "metadata": {"name": "gpu-02"}}), stays=True)
    async with serving([a_list(node)], [watch]) as (_, access), watching(access, nodes("fleet")) as feed:
        await feed.until(lambda: feed.rows.get(key, {}).keys() == {"gpu-01", "gpu-02"})
        assert {it.resources[0].capacity.value for it in feed.rows[key].values()} == {2}
        skipped = feed.contacts[key].skipped
        assert {(it.subject, it.path, it.raw) for it in skipped} == {
            ("nodes/gpu-01", "status.capacity[nvidia.com/gpu]", "NaN"),
            ("nodes/gpu-02", "status.capacity[nvidia.com/gpu]", "NaN"),
        }


async def test_lists_again_now_and_then_in_case_a_watch_missed_something():
    rhythm = WatchRhythm(watch=timedelta(seconds=1), relist=timedelta(0))
    lists = [a_list(an_object("a")), a_list(an_object("b"))]
    async with serving(lists, [a_watch()]) as (_, access), watching(access, MAPS, rhythm) as feed:
        await feed.until(holds(feed, rows("b")))


async def test_a_server_that_ends_each_watch_at_once_is_asked_with_growing_pauses():
    slept, enough = [], asyncio.Event()

    async def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 5:
            enough.set()
        await asyncio.sleep(0)

    async with serving([a_list(an_object("a"))], [a_watch()]) as (script, access):
        api, feed = Api(access), RecordingFeed()
        rhythm = WatchRhythm(first_pause=timedelta(seconds=1), longest_pause=timedelta(seconds=8))
        upkeep = Upkeep(api=api, feed=feed, timing=Timing(watch=rhythm), sleep=sleep)
        task = asyncio.create_task(upkeep.watch(System.KUBERNETES, MAPS).run())
        await asyncio.wait_for(enough.wait(), 20)
        task.cancel()
        await asyncio.wait([task])
        await api.close()
    bounds = [(0.5, 1), (1, 2), (2, 4), (4, 8), (4, 8)]
    assert all(low <= pause <= high for pause, (low, high) in zip(slept, bounds, strict=False))
    assert script.listed == [{"limit": "500"}]
    assert feed.contacts[KEY].consecutive_failures == 0


async def test_a_peer_that_says_nothing_is_given_up_soon_after_the_watch_should_have_ended():
    rhythm = replace(QUICK, grace=timedelta(seconds=0.2))
    lists = [a_list(an_object("a"))]
    async with serving(lists) as (_, access), watching(access, MAPS, rhythm) as feed:
        await feed.until(lambda: feed.contacts[KEY].consecutive_failures > 0)
        assert "no answer in time" in feed.contacts[KEY].error
        assert holds(feed, rows("a"))()


def test_the_shipped_rhythm_finds_a_dead_peer_within_30_seconds():
    assert WatchRhythm().watch + WatchRhythm().grace <= timedelta(seconds=30)


def test_reading_an_object_of_the_contract_tells_what_is_missing():
    with pytest.raises(msgspec.ValidationError, match="gpus"):
        MAPS.read(msgspec.Raw(b'{"data": {}}'), [])
