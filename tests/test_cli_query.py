import json
from pathlib import Path

import pytest

from gateway.app import create_app
from gateway.cli import main
from gateway.cli.remote import ask
from gateway.errors import Invalid
from gateway.http.parameters import Parameters
from gateway.simulator.listener import Listener
from tests.bundles import PLATFORM, write_bundle
from tests.http.tiny import Fleets

CARDS = "{ clusters { name nodes { edges { node { name ready gpus { cards } } } } } }"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "bundle")


def query(capsys, *arguments):
    status = main(["query", *map(str, arguments)])
    written = capsys.readouterr()
    return status, json.loads(written.out or "null"), written.err


def test_answers_from_a_directory_through_the_production_code(bundle, capsys):
    status, answer, err = query(capsys, "--from", bundle, CARDS)

    node = {"name": "gpu-01", "ready": True, "gpus": {"cards": 8}}
    assert answer["data"] == {"clusters": [{"name": "fleet", "nodes": {"edges": [{"node": node}]}}]}
    assert (status, err) == (0, "")
    states = {source["name"]: source["state"] for source in answer["extensions"]["sources"]}
    assert states["kubernetes/fleet/nodes"] == "FRESH"


def test_takes_the_query_from_a_file_and_its_variables(bundle, tmp_path, capsys):
    file = tmp_path / "q.graphql"
    file.write_text("query A { sources { name } } query B($c: String!) { cluster(name: $c) { name } }")

    status, answer, _ = query(
        capsys, "--from", bundle, "--file", file, "--variables", '{"c": "fleet"}', "--operation", "B"
    )

    assert (status, answer["data"]) == (0, {"cluster": {"name": "fleet"}})


def test_what_was_never_recorded_is_silent_and_never_empty(bundle, capsys):
    (bundle / "kubernetes" / "pods.json").unlink()

    status, answer, _ = query(
        capsys, "--from", bundle, "{ clusters { nodes { totalCount } pods { totalCount } } }"
    )

    assert status == 0
    assert answer["data"] == {"clusters": [{"nodes": {"totalCount": 1}, "pods": None}]}
    (error,) = answer["errors"]
    assert error["path"] == ["clusters", 0, "pods"]
    assert error["extensions"]["code"] == "SOURCE_UNAVAILABLE"
    assert error["extensions"]["system"] == "KUBERNETES"


def test_looks_once_for_what_disagrees_at_the_time_of_the_dumps(bundle, capsys):
    node = bundle / "kubernetes" / "nodes.json"
    node.write_text(node.read_text().replace('{"nvidia.com/gpu": "8"}', '{"nvidia.com/gpu": "0"}'))
    (bundle / "bundle.yaml").write_text("capturedAt: 2026-11-02T00:00:00Z\n")

    status, answer, _ = query(capsys, "--from", bundle, "{ alerts { nodes { kind firstSeen } } }")

    (alert,) = answer["data"]["alerts"]["nodes"]
    assert (status, alert) == (
        0,
        {"kind": "READY_WITHOUT_CAPACITY", "firstSeen": "2026-11-02T00:00:00Z"},
    )


def test_reads_the_records_beside_the_dumps(bundle, capsys):
    (bundle / "platform.yaml").write_text(PLATFORM)

    status, answer, err = query(capsys, "--from", bundle, "{ tenants { edges { node { name } } } }")

    assert answer["data"] == {"tenants": {"edges": [{"node": {"name": "vision"}}]}}
    assert (status, err) == (0, "")


def test_what_the_records_ask_of_machines_is_shown_and_nobody_has_taken_it_up(bundle, capsys):
    layout = "desired: {migLayout: {config: all-1g.10gb}}"
    names = ("gpu-01", "gpu-02")
    nodes = "\n".join(f"  - {{name: {name}, target: KUBERNETES, {layout}}}" for name in names)
    (bundle / "platform.yaml").write_text(f"nodes:\n{nodes}\n")
    asked = "{ clusters { nodes { nodes { name desired { migLayout { config } } observed { phase } } } } }"

    status, answer, err = query(capsys, "--from", bundle, asked)

    assert status == 0
    assert answer["data"]["clusters"][0]["nodes"]["nodes"] == [
        {"name": "gpu-01", "desired": {"migLayout": {"config": "all-1g.10gb"}}, "observed": None},
        {"name": "gpu-02", "desired": None, "observed": None},
    ]
    assert err == (
        "node fleet/gpu-02: its layout is left out, which is for one machine:"
        " cluster fleet has no such node; import again once it is there\n"
    )


def test_records_that_cannot_be_read_are_silent_and_the_rest_answers(bundle, capsys):
    (bundle / "platform.yaml").write_text(PLATFORM.replace("KUBERNETES", "KUBERNETIS"))

    status, answer, err = query(
        capsys, "--from", bundle, "{ tenants { totalCount } clusters { nodes { totalCount } } }"
    )

    assert status == 0
    assert answer["data"]["tenants"] is None
    assert {error["extensions"]["system"] for error in answer["errors"]} == {"PLATFORM"}
    assert "platform.yaml:4" in err
    assert "KUBERNETIS" in err


def test_a_file_that_cannot_be_read_is_one_line_and_the_rest_answers(bundle, capsys):
    (bundle / "kubernetes" / "queues.json").write_text("{ nonsense")

    status, answer, err = query(capsys, "--from", bundle, CARDS)

    assert (status, len(answer["data"]["clusters"])) == (0, 1)
    assert "kubernetes/queues.json" in err
    assert len(err.splitlines()) == 1


def test_a_query_that_cannot_be_executed_is_told_as_json_and_by_the_status(bundle, capsys):
    status, answer, _ = query(capsys, "--from", bundle, "{ nothing }")

    assert status == 1
    assert "data" not in answer
    assert answer["errors"][0]["message"] == "Cannot query field 'nothing' on type 'Query'."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{ sources { name } }", "--variables", "nonsense"], "--variables: is not JSON"),
        (["{ sources { name } }", "--variables", "[1]"], "--variables: must be an object"),
        (["--file", "/nowhere.graphql"], "--file /nowhere.graphql: cannot be read"),
    ],
)
def test_a_mistake_is_named_with_its_option(bundle, capsys, arguments, says):
    status, answer, err = query(capsys, "--from", bundle, *arguments)

    assert (status, answer) == (2, None)
    assert err.startswith(f"gpu-gateway query: {says}")


CORDON = 'setCordon(input: {node: {cluster: "fleet", name: "gpu-01"}, cordoned: true}) { generation }'


def test_a_mutation_of_a_directory_is_refused_since_nothing_of_it_would_last(bundle, capsys):
    document = f"query Look {{ sources {{ name }} }} mutation Change {{ {CORDON} }}"

    status, answer, err = query(capsys, "--from", bundle, document, "--operation", "Change")

    assert (status, answer) == (2, None)
    assert err.startswith("gpu-gateway query: --from: a directory is only read")
    assert query(capsys, "--from", bundle, document, "--operation", "Look")[0] == 0


def test_a_directory_that_is_not_there_is_named(capsys):
    status, _, err = query(capsys, "--from", "/nowhere", CARDS)

    assert status == 2
    assert "/nowhere: is not a directory" in err


def test_a_directory_in_which_nothing_can_be_read_is_a_mistake(tmp_path, capsys):
    (tmp_path / "kubernetes").mkdir()
    (tmp_path / "kubernetes" / "nodes.json").write_text("{ nonsense")

    status, _, err = query(capsys, "--from", tmp_path, CARDS)

    assert status == 2
    assert "nothing could be read" in err
    assert "kubernetes/nodes.json" in err


@pytest.mark.parametrize(
    "arguments", [[], ["{ a }"], ["--from", "x"], ["--from", "x", "--url", "y", "{ a }"]]
)
def test_says_how_it_is_used(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["query", *arguments])

    assert ended.value.code == 2
    assert "usage: gpu-gateway query" in capsys.readouterr().err


async def test_asks_a_gateway_that_runs():
    async with Listener(create_app(Fleets().parts())) as listener:
        parameters = Parameters(
            query="query A($n: String!) { hello(name: $n) } query B { hello }",
            variables={"n": "x"},
            operation_name="A",
        )
        for url in (listener.url, f"{listener.url}/", f"{listener.url}/graphql"):
            assert (await ask(url, parameters))["data"] == {"hello": "hello x"}
        assert "data" not in await ask(listener.url, Parameters(query="{ nothing }"))


async def test_says_where_no_gateway_answers():
    listener = Listener(create_app(Fleets().parts()))
    async with listener:
        with pytest.raises(Invalid, match="answers 404 and no GraphQL"):
            await ask(f"{listener.url}/nowhere", Parameters(query="{ hello }"))
    with pytest.raises(Invalid, match="is a gateway running there"):
        await ask(listener.url, Parameters(query="{ hello }"))


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://x", "http://", "nonsense"])
async def test_an_address_that_is_none_is_named(url):
    with pytest.raises(Invalid, match="is no address: write http://host:port"):
        await ask(url, Parameters(query="{ hello }"))
