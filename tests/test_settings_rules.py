import pytest

from gateway.settings import InvalidSettings, read_settings
from tests.setting_examples import DURATION, HERE, SOMETHING, problems, read

NOT_LOOPBACK = (
    "host: 10.0.0.1 is not loopback: the gateway cannot be told yet who may ask, so it would show every"
    " tenant to whoever reaches it. Use 127.0.0.1 behind a proxy that knows its callers"
)


def test_tells_every_mistake_at_once(tmp_path):
    toml = """
        hots = "x"
        port = "abc"
        [limits]
        max_depth = 0
        [[clusters]]
        name = "a"
        [[slurms]]
        name = "s"
    """

    assert problems(tmp_path, toml, GPU_GATEWAY_HOST="10.0.0.1", GPU_GATEWAY_PRT="1") == [
        "hots: there is no such setting; is it host?",
        "port: 'abc' is not a whole number from 0 to 65535",
        "limits: max_depth: 0 is not a whole number from 1 to 150",
        "slurms[0]: cluster: is missing",
        "slurms[0]: url: is missing",
        "GPU_GATEWAY_PRT: there is no such setting (docs/settings.md lists them)",
        NOT_LOOPBACK,
        "clusters: a says not how it is reached: set one of kubeconfig, in_cluster and url",
    ]


@pytest.mark.parametrize("name", ["", "Upper", "a/b", "../x", "-a", "a-", "a" * 64])
def test_a_namespace_is_one_that_kubernetes_could_have(tmp_path, name):
    assert problems(tmp_path, f'[controllers]\nlease_namespace = "{name}"', **SOMETHING) == [
        f"controllers: lease_namespace: {name!r} is not a namespace: up to 63 of a-z, 0-9 and -"
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_listens_on_loopback(host):
    assert read_settings({"GPU_GATEWAY_HOST": host, **SOMETHING}).host == host


@pytest.mark.parametrize("host", ["::", "10.0.0.1", "gateway.example", "127.0.0.1.example"])
def test_listens_on_nothing_else_while_it_cannot_know_its_callers(host, tmp_path):
    (problem,) = problems(tmp_path, "", GPU_GATEWAY_HOST=host, **SOMETHING)

    assert problem.startswith(f"host: {host} is not loopback")


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        (
            "",
            (
                "clusters, slurms, postgres: nothing is configured:"
                " name at least one system to read in the file of GPU_GATEWAY_CONFIG"
            ),
        ),
        (
            f'[postgres]\ndsn = "postgresql:///x"\ndsn_file = "{HERE}"',
            "postgres: dsn and dsn_file are both set: keep one",
        ),
        (
            '[[clusters]]\nname = "a"\nurl = "https://x"\nin_cluster = true',
            "clusters: a has in_cluster and url: set one of kubeconfig, in_cluster and url",
        ),
        (
            '[[clusters]]\nname = "a"\nurl = "https://x"\ncontext = "admin"',
            "clusters: a has context without kubeconfig: set kubeconfig too",
        ),
        (
            f'[[clusters]]\nname = "a"\nin_cluster = true\nca_file = "{HERE}"',
            "clusters: a has ca_file without url: set url too",
        ),
        (
            '[[clusters]]\nname = "a"\nin_cluster = true\n' * 2,
            "clusters: two are named a: give each its own name",
        ),
        (
            '[[clusters]]\nname = "a"\nin_cluster = true\n[[slurms]]\nname = "s"\ncluster = "b"\nurl = "http://x"',
            "slurms: s is on cluster b, which is not among a",
        ),
        (
            f'[cache]\npassword_file = "{HERE}"',
            "cache: password_file is set without url: set url too",
        ),
        ("clusters = 1", "clusters: must be tables: write [[clusters]]"),
        ("limits = 1", "limits: must be a table"),
        ("port = true", "port: True is not a whole number from 0 to 65535"),
        ("stale_after = 300", f"stale_after: 300 {DURATION}"),
    ],
)
def test_names_a_contradiction_and_its_fix(toml, says, tmp_path):
    assert says in problems(tmp_path, toml)


def test_an_empty_dsn_file_is_named(tmp_path):
    empty = tmp_path / "dsn"
    empty.touch()

    (problem,) = problems(tmp_path, f'[postgres]\ndsn_file = "{empty}"')

    assert problem == f"postgres: dsn_file: {empty} is empty: put the DSN into it"


def test_reads_a_dsn_from_its_file(tmp_path):
    file = tmp_path / "dsn"
    file.write_text("postgresql://u:secret@db/x\n")

    settings = read(tmp_path, f'[postgres]\ndsn_file = "{file}"')

    assert settings.postgres.read_dsn() == "postgresql://u:secret@db/x"
    assert "secret" not in repr(settings)


def test_each_writer_logs_in_by_its_own_dsn_and_by_the_only_one_where_it_has_none(tmp_path):
    file = tmp_path / "dsn"
    file.write_text("postgresql://gateway_health@db/x\n")

    toml = f"""
        [postgres]
        dsn = "postgresql://db/x"
        recorder_dsn = "postgresql://gateway_recorder@db/x"
        health_dsn_file = "{file}"
    """
    postgres = read(tmp_path, toml).postgres

    assert postgres.read_recorder_dsn() == "postgresql://gateway_recorder@db/x"
    assert postgres.read_health_dsn() == "postgresql://gateway_health@db/x"
    assert postgres.read_reconciler_dsn() == postgres.read_dsn() == "postgresql://db/x"


def test_a_file_that_is_emptied_later_makes_no_writer_another(tmp_path):
    file = tmp_path / "dsn"
    file.write_text("postgresql://gateway_health@db/x")
    postgres = read(tmp_path, f'[postgres]\ndsn = "postgresql://db/x"\nhealth_dsn_file = "{file}"').postgres
    file.write_text("")

    assert postgres.read_health_dsn() == ""


@pytest.mark.parametrize("name", ["recorder_dsn", "reconciler_dsn", "health_dsn"])
def test_a_writers_dsn_is_given_once_and_not_as_an_empty_file(name, tmp_path):
    empty = tmp_path / "dsn"
    empty.touch()

    (problem,) = problems(tmp_path, f'[postgres]\n{name}_file = "{empty}"')
    assert problem == f"postgres: {name}_file: {empty} is empty: put the DSN into it"
    (problem,) = problems(tmp_path, f'[postgres]\n{name} = "postgresql://db/x"\n{name}_file = "{empty}"')
    assert problem == f"postgres: {name} and {name}_file are both set: keep one"


@pytest.mark.parametrize("content", [b"port = ", b"\xff"])
def test_a_file_that_is_not_toml_is_named(content, tmp_path):
    file = tmp_path / "gateway.toml"
    file.write_bytes(content)

    with pytest.raises(InvalidSettings, match="is not TOML"):
        read_settings({"GPU_GATEWAY_CONFIG": str(file), **SOMETHING})


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(InvalidSettings, match="GPU_GATEWAY_CONFIG: /nowhere cannot be read"):
        read_settings({"GPU_GATEWAY_CONFIG": "/nowhere", **SOMETHING})


def test_what_kubernetes_tells_of_a_service_of_our_name_is_no_setting():
    links = {
        "GPU_GATEWAY_PORT": "tcp://10.0.0.1:80",
        "GPU_GATEWAY_PORT_80_TCP": "tcp://10.0.0.1:80",
        "GPU_GATEWAY_PORT_80_TCP_ADDR": "10.0.0.1",
        "GPU_GATEWAY_SERVICE_HOST": "10.0.0.1",
        "GPU_GATEWAY_SERVICE_PORT": "80",
    }

    assert read_settings({**links, **SOMETHING}).port == 8000
