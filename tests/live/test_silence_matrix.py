"""Each way to fall silent, of each system, on real servers: what the graph says meanwhile and after."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from gateway.errors import System
from gateway.fleet.pending.kept import REASONS
from gateway.fleet.source import source_name
from tests.journeys.difference import differences
from tests.live.silence_faults import FAULTS, Silencing
from tests.live.silence_site import Here, Site, fleet_on
from tests.servers.control_plane import ControlPlane
from tests.servers.postgres import Postgres
from tests.servers.slurm import Slurm

QUERY = """{
  cluster(name: "fleet") {
    kubernetesVersion
    nodes { totalCount nodes {
      name ready target tenant { name } busy
      gpus { cards } slurm { gres { configured used } } costPerHour { amount }
    } }
    pods { totalCount nodes { name queue { name } workspace { name } } }
    queues { name deserved { resource value } }
    slurmJobs { totalCount nodes { jobId state } }
    capacity { gpuType { name } target physical healthy allocated used available costPerHour { amount } }
  }
  tenants { totalCount nodes {
    name costPerHour { amount }
    nodes { totalCount nodes { name } }
    capacity { gpuType { name } target physical healthy allocated used available costPerHour { amount } }
    workspaces { totalCount nodes {
      name costPerHour { amount } queue { name } allocations { id cards used headroom }
    } }
  } }
  sources { name system state error consecutiveFailures objects }
}"""
CELLS = [(system, name) for system, faults in FAULTS.items() for name in faults]
AT_PEACE = {"FRESH", "ABSENT"}


_LINE = "physical healthy allocated used available costPerHour"
_TEAM = "tenants.nodes.workspaces.nodes"
_MACHINE = "cluster.nodes.nodes"
NULLS = {
    System.KUBERNETES: """
        cluster kubernetesVersion nodes pods capacity
        tenants.nodes costPerHour capacity
    """,
    System.QUEUES: f"""
        cluster queues
        {_TEAM} queue
        {_TEAM}.allocations used headroom
    """,
    System.PLATFORM: f"""
        . tenants
        cluster capacity
        cluster.nodes totalCount
        cluster.pods.nodes workspace
        {_MACHINE} target tenant costPerHour
    """,
    System.SLURM: f"""
        cluster slurmJobs
        cluster.nodes totalCount
        {_MACHINE} gpus slurm busy costPerHour
        cluster.capacity {_LINE}
        tenants.nodes costPerHour
        tenants.nodes.capacity {_LINE}
    """,
}
"""What the silence of each withholds: a line for each path, its first word, then the fields below it."""


MISSING = {
    System.SLURM: {
        ("cluster.nodes.nodes", "gpu-a100-01"),
        ("cluster.nodes.nodes", "gpu-h100-02"),
        ("cluster.nodes.nodes", "gpu-t4-01"),
        ("cluster.capacity", ("H100-80GB", None)),
        ("cluster.capacity", ("H100-80GB", "SLURM")),
        ("cluster.capacity", ("T4-16GB", None)),
        ("cluster.capacity", (None, None)),
        ("tenants.nodes.capacity", ("H100-80GB", "SLURM")),
    }
}
"""Rows that only the silent system knows."""
ADDED = {
    System.SLURM: {("cluster.capacity", (None, "SLURM")), ("tenants.nodes.capacity", (None, "SLURM"))},
}
"""Lines of the account for machines whose type is not known now."""


def rows_of(table: dict[System, set[Any]], silencing: Silencing) -> set[Any]:
    return {row for system in silencing.silent for row in table.get(system, ())}


def path_of(error: Any) -> str:
    return ".".join(part for part in error["path"] if isinstance(part, str))


def nulls(systems: frozenset[System]) -> set[str]:
    lines = [line.split() for one in systems for line in NULLS[one].strip().splitlines()]
    return {f"{path}.{name}" if path != "." else name for path, *names in lines for name in names}


@dataclass(frozen=True, kw_only=True)
class Story:
    """What the same question was answered, one time after the other."""

    whole: Any
    stale: Any
    down: Any
    back: Any


@pytest.fixture(scope="module")
async def site(
    volcano_api: ControlPlane, slurm: Slurm, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    async with fleet_on(volcano_api, slurm, postgres, tmp_path_factory.mktemp("silence")) as made:
        yield made


class Stories:
    """What became of each cell; those of one system go on at once, each on a gateway of its own."""

    def __init__(self, gateways: list[Here]) -> None:
        self._gateways = gateways
        self._told: dict[str, dict[str, Story | BaseException]] = {}

    async def of(self, system: str, name: str) -> Story:
        if system not in self._told:
            faults = FAULTS[system]
            telling = [_tell(here, one) for here, one in zip(self._gateways, faults.values(), strict=False)]
            found = await asyncio.gather(*telling, return_exceptions=True)
            self._told[system] = dict(zip(faults, found, strict=True))
        story = self._told[system][name]
        if isinstance(story, BaseException):
            raise story
        return story


@pytest.fixture(scope="module")
async def stories(site: Site) -> AsyncIterator[Stories]:
    async with AsyncExitStack() as stack:
        most = max(map(len, FAULTS.values()))
        yield Stories([await stack.enter_async_context(site.gateway()) for _ in range(most)])


async def _tell(here: Here, silencing: Silencing) -> Story:
    async def then(state: str, words: str) -> Any:
        """The answer once each listing that was silenced is in this state, and every other is at peace."""
        systems = {system.value for system in silencing.silent}
        return await here.until(
            QUERY,
            lambda answer: all(
                one["state"] == state and words in (one["error"] or "")
                if one["system"] in systems and one["state"] != "ABSENT"
                else one["state"] in AT_PEACE
                for one in told(answer)
            ),
        )

    whole = await here.until(QUERY, is_at_peace)
    await silencing.begin(here.ways)
    stale = await then("STALE", "")
    down = await then("DOWN", silencing.words)
    await silencing.end(here.ways)
    return Story(whole=whole, stale=stale, down=down, back=await here.until(QUERY, is_at_peace))


def is_at_peace(answer: Any) -> bool:
    return "errors" not in answer and all(one["state"] in AT_PEACE for one in told(answer))


def told(answer: Any) -> list[Any]:
    """Every listing but the kept reasons, which fall silent by themselves and withhold only themselves."""
    return [one for one in answer["data"]["sources"] if one["name"] != source_name(REASONS)]


def absent(story: Story) -> set[str]:
    return {one["name"] for one in told(story.whole) if one["state"] == "ABSENT"}


def silent(silencing: Silencing, story: Story) -> set[str]:
    """The sources that were made silent."""
    names = {one["name"] for one in told(story.whole) if System[one["system"]] in silencing.silent}
    return names - absent(story)


@pytest.fixture(params=CELLS, ids=lambda cell: "-".join(cell).replace(" ", "_"))
async def cell(request: pytest.FixtureRequest, stories: Stories) -> tuple[Silencing, Story]:
    system, name = request.param
    return FAULTS[system][name], await stories.of(system, name)


def test_while_it_is_late_everything_is_shown_and_the_source_says_so(cell):
    silencing, story = cell

    assert list(differences(story.whole["data"], story.stale["data"])) == []
    assert "errors" not in story.stale
    late = {one["name"] for one in told(story.stale) if one["state"] != "FRESH"} - absent(story)
    assert late == silent(silencing, story)


def test_then_what_only_it_knows_is_null_and_all_else_is_as_it_was(cell):
    silencing, story = cell

    found = list(differences(story.whole["data"], story.down["data"]))

    assert {one.path for one in found if one.kind == "withheld"} <= nulls(silencing.silent)
    assert {(one.path, one.value) for one in found if one.kind == "missing"} == rows_of(MISSING, silencing)
    assert {(one.path, one.value) for one in found if one.kind == "added"} == rows_of(ADDED, silencing)
    assert [one for one in found if one.kind == "changed"] == []


def test_no_total_is_made_of_what_is_left(cell):
    silencing, story = cell

    data = story.down["data"]
    owners = [data["cluster"], *(data["tenants"] or {"nodes": []})["nodes"]]
    lines = [line for owner in owners for line in owner["capacity"] or [] if line["target"] != "KUBERNETES"]

    if System.SLURM in silencing.silent:
        assert len(lines) == 2
        assert {line[number] for line in lines for number in _LINE.split()} == {None}
    else:
        assert {line["physical"] for line in lines} <= {4, 8}


def test_each_null_is_an_error_that_names_the_system_and_whether_to_wait(cell):
    silencing, story = cell

    errors = story.down["errors"]

    assert {path_of(error) for error in errors} == nulls(silencing.silent)
    for about in (error["extensions"] for error in errors):
        assert System[about["system"]] in silencing.silent
        assert about["code"] == "SOURCE_STALE"
        assert about["retryable"] in silencing.retryable
        assert about["observedAt"] is not None


def test_the_source_tells_how_it_failed(cell):
    silencing, story = cell

    said = {one["name"]: one["error"] or "" for one in told(story.down)}

    assert silent(silencing, story)
    assert all(silencing.words in said[name] for name in silent(silencing, story))
    assert all(word not in text for text in said.values() for word in ("first@", ":first", "second@"))


def test_once_it_speaks_again_everything_is_as_before(cell):
    _, story = cell

    assert list(differences(story.whole["data"], story.back["data"])) == []
    assert "errors" not in story.back
    assert {one["error"] for one in told(story.back) if one["state"] == "FRESH"} == {None}
