import inspect
import ssl
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from gateway.errors import Invalid, SourceMisread, SourceRefused, SourceUnavailable
from gateway.sources.postgres.connection import LOST, read_dsn, source_error, translated

HERE = read_dsn("postgresql://gateway:secret@127.0.0.1:5432/fleet")

# What asyncpg only warns of or passes on as a message; nothing raises these.
NOT_RAISED = (Warning, asyncpg.PostgresLogMessage)


def exceptions_of_asyncpg():
    found = vars(asyncpg.exceptions).values()
    return [
        kind
        for kind in found
        if inspect.isclass(kind) and issubclass(kind, Exception) and not issubclass(kind, NOT_RAISED)
    ]


@pytest.mark.parametrize("kind", exceptions_of_asyncpg(), ids=lambda kind: kind.__name__)
def test_every_exception_of_asyncpg_has_a_meaning(kind):
    with (
        pytest.raises((SourceUnavailable, SourceRefused, SourceMisread)) as caught,
        translated(HERE),
    ):
        raise kind("it failed")
    assert str(caught.value).startswith("Postgres 127.0.0.1:5432/fleet: it failed")


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (ConnectionRefusedError("refused"), SourceUnavailable),
        (TimeoutError(), SourceUnavailable),
        (asyncpg.CannotConnectNowError("starting up"), SourceUnavailable),
        (asyncpg.TooManyConnectionsError("too many"), SourceUnavailable),
        (asyncpg.SerializationError("again"), SourceUnavailable),
        (asyncpg.InterfaceError("connection is closed"), SourceUnavailable),
        (asyncpg.InvalidPasswordError("no"), SourceRefused),
        (asyncpg.InvalidAuthorizationSpecificationError("no"), SourceRefused),
        (asyncpg.InsufficientPrivilegeError("no"), SourceRefused),
        (asyncpg.exceptions.ClientConfigurationError("no certificate"), SourceRefused),
        (asyncpg.InvalidCatalogNameError("no database"), SourceMisread),
        (asyncpg.UndefinedTableError("no table"), SourceMisread),
        (asyncpg.DatatypeMismatchError("odd"), SourceMisread),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value.__name__,
)
def test_an_operator_is_told_whether_to_wait_or_to_act(error, meaning):
    assert isinstance(error, LOST)
    assert type(source_error(error, HERE)) is meaning


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("the server rejected SSL upgrade"),
        ssl.SSLCertVerificationError("[SSL] unknown authority"),
    ],
)
def test_a_server_elsewhere_without_good_tls_says_what_to_do(error):
    there = read_dsn("postgresql://db/fleet")
    assert "or choose an sslmode in the DSN" in str(source_error(error, there))
    assert "sslmode" not in str(source_error(error, HERE))


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        (asyncpg.UndefinedTableError("no table"), "run `gpu-gateway migrate` on this database"),
        (
            asyncpg.InsufficientPrivilegeError("permission denied for table node_record"),
            "the DSN must name the role that `gpu-gateway migrate` grants it to",
        ),
    ],
    ids=["not migrated", "another role"],
)
def test_what_somebody_must_do_is_said(error, fix):
    assert str(source_error(error, HERE)) == f"Postgres 127.0.0.1:5432/fleet: {error}: {fix}"


def test_the_message_is_one_line_and_never_empty():
    assert str(source_error(asyncpg.PostgresError("first\nsecond"), HERE)).endswith("fleet: first")
    assert str(source_error(TimeoutError(), HERE)).endswith("fleet: TimeoutError")


@pytest.mark.parametrize(
    ("dsn", "name"),
    [
        ("postgresql://u:secret@db:5433/fleet", "db:5433/fleet"),
        ("postgres://db/fleet", "db/fleet"),
        ("postgresql://u:secret@a:1,b:2/fleet", "a:1,b:2/fleet"),
        ("postgresql:///fleet?host=/run/postgresql", "/run/postgresql/fleet"),
    ],
)
def test_a_database_is_named_without_its_password(dsn, name):
    database = read_dsn(dsn)
    assert database.name == name
    assert "secret" not in repr(database)


@pytest.mark.parametrize(
    ("dsn", "each"),
    [
        ("postgresql://db/fleet?sslmode=require", ["postgresql://db/fleet?sslmode=require"]),
        ("postgresql://u:p@a:1,b/fleet", ["postgresql://u:p@a:1/fleet", "postgresql://u:p@b/fleet"]),
        ("postgresql://[::1]:1,[::2]:2/fleet", ["postgresql://[::1]:1/fleet", "postgresql://[::2]:2/fleet"]),
    ],
)
def test_every_host_is_tried_by_itself_in_the_order_of_the_dsn(dsn, each):
    assert list(read_dsn(dsn).dsns) == each


@pytest.mark.parametrize(
    ("query", "hosts"),
    [
        ("host=a,b&port=1,2", [("a", "1"), ("b", "2")]),
        ("host=a,b&port=1", [("a", "1"), ("b", "1")]),
        ("host=a:1,b:2", [("a:1", None), ("b:2", None)]),
        ("host=/run/postgresql", [("/run/postgresql", None)]),
    ],
)
def test_hosts_that_stand_in_the_query_are_tried_one_by_one_too(query, hosts):
    found = [parse_qs(urlsplit(dsn).query) for dsn in read_dsn(f"postgresql://u@/fleet?{query}").dsns]
    assert [(options["host"][0], options.get("port", [None])[0]) for options in found] == hosts


def test_ports_that_do_not_fit_the_hosts_are_counted():
    with pytest.raises(Invalid, match="has 2 ports for 3 hosts: give one, or one for each"):
        read_dsn("postgresql:///fleet?host=a,b,c&port=1,2")


@pytest.mark.parametrize(
    "dsn",
    [
        "",
        "fleet",
        "host=db dbname=fleet",
        "mysql://db/fleet",
        "postgresql:///fleet",
        "postgresql://u:secret@db:one/fleet",
        "postgresql://db/fleet?port=one",
        "postgresql://db/fleet?sslmode",
        "postgresql://u:secret[@db/fleet",
    ],
)
def test_a_dsn_that_cannot_be_used_says_how_to_write_one(dsn):
    with pytest.raises(Invalid, match="write postgresql://user:password@host:5432/database") as caught:
        read_dsn(dsn)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://127.0.0.1:5432/fleet",
        "postgresql://127.9.9.9/fleet",
        "postgresql://localhost/fleet",
        "postgresql://[::1]:5432/fleet",
        "postgresql:///fleet?host=/run/postgresql",
        "postgresql://db/fleet?sslmode=disable",
        "postgresql://db/fleet?sslmode=verify-full",
    ],
)
def test_on_this_machine_or_where_the_dsn_says_it_tls_is_as_the_dsn_says(dsn):
    assert read_dsn(dsn).trust is None


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://db/fleet",
        "postgresql://10.0.0.1:5432/fleet",
        "postgresql://127.0.0.1,db/fleet",
        "postgresql://[2001:db8::1]:5432/fleet",
        "postgresql://localhost.example/fleet",
    ],
)
def test_elsewhere_the_servers_certificate_and_name_are_checked(dsn):
    trust = read_dsn(dsn).trust
    assert (trust.verify_mode, trust.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_authorities_that_are_not_there_are_named():
    with pytest.raises(Invalid, match=r"sslrootcert of the Postgres DSN: /nowhere\.pem: No such file"):
        read_dsn("postgresql://db/fleet?sslrootcert=/nowhere.pem")
