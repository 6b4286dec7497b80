from dataclasses import replace
from datetime import timedelta

from prometheus_client.parser import text_string_to_metric_families

from gateway.fleet.source import SkippedItem
from tests.http.tiny import CONTACT, JOBS, NODES, NOON

SOURCE = {"source": "kubernetes/fleet/nodes", "system": "KUBERNETES"}
SKIPPED = SkippedItem(subject="nodes/gpu-01", path="", raw="{", problem="cut", since=NOON)


async def samples(client):
    async with client.get("/metrics") as response:
        assert response.content_type == "text/plain"
        families = text_string_to_metric_families(await response.text())
        return {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in families
            for sample in family.samples
        }


def labelled(name, **labels):
    return name, tuple(sorted(labels.items()))


async def test_counts_requests_by_how_they_ended(client):
    for query in ("{ hello }", "{ hello }", "{ invalid }", "{ nothing }"):
        await client.post("/graphql", json={"query": query})
    await client.post("/graphql", json=[])

    found = await samples(client)

    counts = {
        outcome: found[labelled("gpu_gateway_requests_total", outcome=outcome)]
        for outcome in ("data", "partial", "request_error", "refused")
    }
    assert counts == {"data": 2, "partial": 1, "request_error": 1, "refused": 1}
    assert found[labelled("gpu_gateway_request_duration_seconds_count", outcome="data")] == 2


async def test_tells_how_each_source_stands(client, fleets):
    contact = (
        replace(CONTACT.succeeded(NOON), skipped=(SKIPPED,)).failed(NOON, "refused").failed(NOON, "refused")
    )
    fleets.keeper.change(NODES, {}, contact)
    fleets.now = NOON + timedelta(seconds=90)

    found = await samples(client)

    assert found[labelled("gpu_gateway_source_age_seconds", **SOURCE)] == 90
    assert found[labelled("gpu_gateway_source_consecutive_failures", **SOURCE)] == 2
    assert found[labelled("gpu_gateway_source_skipped_items", **SOURCE)] == 1
    assert found[labelled("gpu_gateway_source_objects", **SOURCE)] == 0
    assert found[labelled("gpu_gateway_source_state", **SOURCE, state="STALE")] == 1
    assert found[labelled("gpu_gateway_source_state", **SOURCE, state="FRESH")] == 0


async def test_what_is_not_known_of_a_source_has_no_sample(client, fleets):
    fleets.keeper.touch(JOBS, CONTACT)

    names = {name for name, labels in await samples(client) if ("system", "SLURM") in labels}

    assert "gpu_gateway_source_age_seconds" not in names
    assert "gpu_gateway_source_objects" not in names
    assert "gpu_gateway_source_consecutive_failures" in names
