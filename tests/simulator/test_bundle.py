import json
from datetime import UTC, datetime

import pytest

from gateway.simulator.bundle import BundleError, NothingReadError, load_bundle
from gateway.simulator.run import simulate
from tests.simulator.client import asking, node, pod, queue

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"


def listing(*items, kind="List", api_version="v1"):
    return json.dumps({"kind": kind, "apiVersion": api_version, "items": list(items)})


def slurm(version, **held):
    return json.dumps({**held, "meta": {"plugin": {"data_parser": f"data_parser/{version}"}}, "errors": []})


@pytest.fixture
def write(tmp_path):
    """Writes a file of the bundle, and answers where the bundle is."""

    def write_file(name, text):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return tmp_path

    return write_file


@pytest.fixture
async def asked():
    """Loads and serves a bundle, and answers one question to one of its clusters."""

    async def ask(directory, path, cluster="fleet"):
        async with (
            simulate(load_bundle(directory)) as simulated,
            asking(simulated.clusters[cluster]) as client,
        ):
            status, text = await client.text(path)
        return status, [
            item["metadata"]["name"] for item in json.loads(text)["items"]
        ] if status == 200 else []

    return ask


def problems(directory):
    return [str(problem) for problem in load_bundle(directory).problems]


async def test_objects_are_told_by_what_they_hold_and_not_by_the_name_of_their_file(write, asked):
    write("kubernetes/all.json", listing(node("a"), pod("x", "b"), queue("q")))
    directory = write("kubernetes/more.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: c}\n")

    assert await asked(directory, "/api/v1/nodes") == (200, ["a", "c"])
    assert await asked(directory, "/api/v1/pods") == (200, ["b"])
    assert await asked(directory, QUEUES) == (200, ["q"])


async def test_several_documents_stand_in_one_file(write, asked):
    write("kubernetes/some.json", json.dumps(node("a")) + "\n" + listing(node("b")))
    directory = write(
        "kubernetes/some.yaml", "---\n" + json.dumps(node("c")) + "\n---\n" + json.dumps(node("d"))
    )

    assert await asked(directory, "/api/v1/nodes") == (200, ["a", "b", "c", "d"])


async def test_items_of_a_raw_listing_get_their_kind_from_the_listing(write, asked):
    directory = write("kubernetes/raw.json", listing({"metadata": {"name": "a"}}, kind="NodeList"))

    assert await asked(directory, "/api/v1/nodes") == (200, ["a"])


async def test_an_empty_list_of_nodes_is_a_cluster_without_nodes(write, asked):
    directory = write("kubernetes/nodes.json", listing())

    assert await asked(directory, "/api/v1/nodes") == (200, [])


async def test_pods_that_nobody_recorded_are_not_no_pods(write, asked):
    directory = write("kubernetes/nodes.json", listing(node("a")))

    assert await asked(directory, "/api/v1/pods") == (503, [])
    assert await asked(directory, "/api/v1/nodes") == (200, ["a"])


async def test_any_other_kind_that_nobody_recorded_is_not_served(write, asked):
    directory = write("kubernetes/nodes.json", listing(node("a")))

    assert await asked(directory, QUEUES) == (404, [])


async def test_an_empty_list_says_its_kind_by_the_name_of_its_file_or_not_at_all(write, asked):
    write("kubernetes/nodes.json", listing(node("a")))
    directory = write("kubernetes/queues.json", listing())
    assert await asked(directory, QUEUES) == (200, [])

    write("kubernetes/things.json", listing())
    [problem] = problems(directory)
    assert problem.startswith("kubernetes/things.json: is an empty List that does not say its kind")


async def test_a_cluster_without_a_folder_was_never_reached(write, asked):
    directory = write("slurm/nodes.json", slurm("v0.0.42", nodes=[]))

    assert await asked(directory, "/api/v1/nodes") == (503, [])
    assert await asked(directory, "/version") == (503, [])


async def test_a_folder_below_kubernetes_is_a_further_cluster(write, asked):
    write("bundle.yaml", "cluster: main\n")
    write("kubernetes/nodes.json", listing(node("a")))
    directory = write("kubernetes/edge/nodes.json", listing(node("b")))

    assert list(load_bundle(directory).clusters) == ["main", "edge"]
    assert await asked(directory, "/api/v1/nodes", "main") == (200, ["a"])
    assert await asked(directory, "/api/v1/nodes", "edge") == (200, ["b"])


async def test_what_cannot_be_read_is_named_and_the_rest_is_served(write, asked):
    write("kubernetes/nodes.yaml", json.dumps(node("a")) + "\n---\nkind: [\n---\n" + json.dumps(node("b")))
    write("kubernetes/pods.json", '{"kind": "List", "items": [')
    directory = write(
        "kubernetes/odd.json", listing({"spec": {}}) + '{"kind": "Status", "message": "Forbidden"}'
    )

    assert await asked(directory, "/api/v1/nodes") == (200, ["a", "b"])
    assert await asked(directory, "/api/v1/pods") == (503, [])
    assert problems(directory) == [
        "kubernetes/nodes.yaml: line 4: is not YAML: did not find expected node content",
        "kubernetes/odd.json: items[0]: has no apiVersion and kind",
        "kubernetes/odd.json: line 1: is a failure and not a listing: Forbidden",
        "kubernetes/pods.json: line 1: is not JSON: Expecting value",
    ]


async def test_an_object_without_a_name_goes_through_to_the_readers(write):
    directory = write("kubernetes/nodes.json", listing({"metadata": None}, "text"))
    async with simulate(load_bundle(directory)) as simulated, asking(simulated.clusters["fleet"]) as client:
        _, served = await client.json("/api/v1/nodes")

    assert served["items"] == [{"metadata": None}, "text"]


def test_the_clock_stands_where_the_bundle_says(write):
    write("kubernetes/nodes.json", listing(node("a")))
    directory = write("bundle.yaml", "capturedAt: 2026-11-29T20:00:00+01:00\n")

    assert load_bundle(directory).now == datetime(2026, 11, 29, 19, tzinfo=UTC)


def test_without_a_word_the_clock_stands_at_the_newest_time_in_the_files(write):
    write(
        "kubernetes/nodes.json",
        listing(node("a", seen="2026-11-29T19:10:08.5Z", made="2025-01-01T00:00:00Z")),
    )
    directory = write("platform.yaml", "prices: [{from: 2030-01-01T00:00:00Z}]")

    assert load_bundle(directory).now == datetime(2026, 11, 29, 19, 10, 8, 500_000, tzinfo=UTC)


async def test_the_version_is_the_one_that_the_bundle_says(write):
    write("bundle.yaml", "kubernetesVersion: v1.30.2\n")
    directory = write("kubernetes/nodes.json", listing())
    async with simulate(load_bundle(directory)) as simulated, asking(simulated.clusters["fleet"]) as client:
        _, version = await client.json("/version")

    assert version["gitVersion"] == "v1.30.2"


def test_mistakes_in_bundle_yaml_are_told_together_with_their_fix(write):
    text = "captureAt: 2026-11-29T19:10:08Z\ncapturedAt: yesterday\ncluster: 3\nkubernetesVersion: 1.30\n"
    directory = write("bundle.yaml", text)

    with pytest.raises(BundleError) as error:
        load_bundle(directory)
    file = directory / "bundle.yaml"
    assert str(error.value).splitlines() == [
        f"{file}: captureAt: unknown key: write capturedAt",
        f"{file}: capturedAt: 'yesterday' is no RFC 3339 time with a zone: write it as 2026-11-29T19:10:08Z",
        f"{file}: cluster: 3 is no name: write a word, in quotes where it looks like a number",
        f"{file}: kubernetesVersion: 1.3 is no version: write it as v1.36.3",
    ]


def test_a_time_without_a_zone_is_refused(write):
    directory = write("bundle.yaml", "capturedAt: 2026-11-29T19:10:08\n")

    with pytest.raises(BundleError, match="RFC 3339 time with a zone"):
        load_bundle(directory)


def test_a_bundle_file_that_is_no_mapping_is_refused(write):
    with pytest.raises(BundleError, match="is not a mapping"):
        load_bundle(write("bundle.yaml", "- cluster\n"))


def test_nothing_at_all_is_an_error_of_its_own(write):
    directory = write("kubernetes/nodes.json", "<html>Sign in</html>")

    with pytest.raises(NothingReadError) as error:
        load_bundle(directory)
    assert "kubernetes/nodes.json: line 1: is not JSON" in str(error.value)


def test_records_alone_are_a_bundle(write):
    directory = write("platform.yaml", "tenants: []")

    assert load_bundle(directory).platform_file == directory / "platform.yaml"


def test_a_bundle_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BundleError, match="no-such-place: is not a directory"):
        load_bundle(tmp_path / "no-such-place")


async def test_answers_of_slurm_are_served_byte_for_byte_under_their_version(write):
    text = slurm("v0.0.42", nodes=[{"name": "n1", "load": float("inf")}])
    directory = write("slurm/dump.json", text)
    async with simulate(load_bundle(directory)) as simulated, asking(simulated.slurms["slurm"][0]) as client:
        assert await client.text("/slurm/v0.0.42/nodes") == (200, text)
        assert await client.status("/slurm/v0.0.42/ping") == 200
        assert await client.status("/slurm/v0.0.42/jobs") == 502
        assert await client.status("/slurm/v0.0.43/nodes") == 404


async def test_versions_37_and_38_say_their_number_elsewhere(write):
    meta = {"plugin": {"type": "openapi/v0.0.38", "name": "Slurm OpenAPI v0.0.38"}}
    directory = write("slurm/nodes.json", json.dumps({"meta": meta, "nodes": [], "errors": []}))
    async with simulate(load_bundle(directory)) as simulated, asking(simulated.slurms["slurm"][0]) as client:
        assert await client.status("/slurm/v0.0.38/nodes") == 200


def test_the_slurm_of_a_folder_belongs_to_the_cluster_of_that_name_and_else_to_the_first(write):
    write("kubernetes/nodes.json", listing(node("a")))
    write("kubernetes/edge/nodes.json", listing(node("b")))
    write("slurm/nodes.json", slurm("v0.0.42", nodes=[]))
    write("slurm/edge/nodes.json", slurm("v0.0.42", nodes=[]))
    directory = write("slurm/other/nodes.json", slurm("v0.0.42", nodes=[]))

    slurms = load_bundle(directory).slurms
    assert {name: one.cluster for name, one in slurms.items()} == {
        "slurm": "fleet",
        "edge": "edge",
        "other": "fleet",
    }


def test_of_two_answers_to_one_question_the_longer_is_taken(write):
    write("slurm/a.json", slurm("v0.0.42", nodes=[{"name": "n1"}]))
    directory = write("slurm/b.json", slurm("v0.0.42", nodes=[{"name": "n1"}, {"name": "n2"}]))

    assert problems(directory) == ["slurm/a.json: is left out: slurm/b.json holds the nodes of v0.0.42 too"]


def test_what_is_no_answer_of_slurmrestd_is_named(write):
    write("slurm/a.json", json.dumps({"nodes": []}))
    write("slurm/b.json", json.dumps({"meta": {"plugin": {"data_parser": "v0.0.42"}}}))
    write("slurm/c.json", "[]")
    directory = write("slurm/d.json", slurm("v0.0.42", nodes=[]))

    assert problems(directory) == [
        "slurm/a.json: does not say its version in meta.plugin.data_parser, nor openapi/v0.0.NN",
        "slurm/b.json: holds none of nodes, jobs, partitions, pings, ping, statistics",
        "slurm/c.json: is not one answer of slurmrestd",
    ]
