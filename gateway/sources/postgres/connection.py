"""How the platform's Postgres is reached, and what its failures mean to us: one translation, for everyone."""

import ipaddress
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlencode, urlsplit

import asyncpg
from asyncpg import Connection
from asyncpg.connect_utils import SessionAttribute

from gateway.errors import Invalid, SourceError, SourceMisread, SourceRefused, SourceUnavailable, System

SCHEMA = "gateway"
LOST = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""Everything that asyncpg raises where the other side does not do as it should; they share no base."""
LIMITS: Final[Mapping[str, str]] = {"lock_timeout": "2s", "idle_in_transaction_session_timeout": "2s"}
"""Whoever may write one column can lock a row: nobody waits long for another, nor is long waited for."""

_CONNECT_SECONDS = 2.0
_COMMAND_SECONDS = 5.0
# Silent, no primary, or starting or stopping; a host that refuses us is no reason to ask the next.
_NEXT = (OSError, asyncpg.TargetServerAttributeNotMatched, asyncpg.CannotConnectNowError)
# By SQLSTATE, a class or a whole code; all others pass by themselves.
_REFUSED = ("28", "42501")
_MISREAD = ("0A", "22", "3D", "3F", "42")
_FIXES = {
    **dict.fromkeys(("3F000", "42P01", "42703"), "run `gpu-gateway migrate` on this database"),
    "42501": "the DSN must name the role that `gpu-gateway migrate` grants it to",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """One Postgres database, and how it is reached."""

    dsns: tuple[str, ...] = field(repr=False)
    """One for each host, in the order in which they are tried."""
    name: str
    """For people: host, port and database, never a password."""
    trust: ssl.SSLContext | None = field(repr=False)
    """None: as the DSN says, or on this machine."""
    is_here: bool
    """It is on this machine."""


def read_dsn(dsn: str) -> Database:
    """Read where the database is; off this machine its certificate is checked unless the DSN says not to."""
    try:
        parts = urlsplit(dsn)
        options = parse_qs(parts.query, strict_parsing=bool(parts.query))
    except ValueError:
        # What it says may hold the password.
        raise Invalid(f"the Postgres DSN cannot be read: {_FORM}") from None
    hosts = _hosts(parts, options)
    if parts.scheme not in {"postgresql", "postgres"} or not all(hosts):
        raise Invalid(f"the Postgres DSN names no host: {_FORM}")
    ports = [_split(host)[1] for host in hosts] + _ports(options)
    if not all(port.isdecimal() or not port for port in ports):
        raise Invalid(f"the Postgres DSN has a port that is no number: {_FORM}")
    name = f"{','.join(hosts)}/{unquote(parts.path.lstrip('/'))}"
    is_here = all(map(_is_here, hosts))
    trust = None if "sslmode" in options or is_here else _checking(options)
    return Database(dsns=_alone(parts, options), name=name, trust=trust, is_here=is_here)


def database_now(dsn: Callable[[], str]) -> Database:
    """Where the database is by now: a DSN that stands in a file may have been renewed."""
    try:
        return read_dsn(dsn())
    except (Invalid, OSError) as problem:
        raise SourceRefused(System.PLATFORM, str(problem)) from problem


@asynccontextmanager
async def connected(
    database: Database, application_name: str, **limits: str
) -> AsyncIterator["Connection[asyncpg.Record]"]:
    """Hold one connection, alone and for as long as the block runs; its failures are source errors.

    Limits are settings of the session, as lock_timeout. Without a cache of statements no schema change can
    make one invalid, and none is left behind a pooler.
    """
    with translated(database):
        connection = await _primary(database, {"application_name": application_name, **limits})
        try:
            yield connection
        finally:
            # A close waits for a peer that went mute; there is nothing to say good-bye for.
            connection.terminate()


async def _primary(database: Database, session: Mapping[str, str]) -> "Connection[asyncpg.Record]":
    """The first host that is the primary; each has its own time, or a mute one would use up all of it."""
    *others, last = database.dsns
    for dsn in others:
        with suppress(*_NEXT):
            return await _connect(dsn, database.trust, session)
    return await _connect(last, database.trust, session)


async def _connect(
    dsn: str, trust: ssl.SSLContext | None, session: Mapping[str, str]
) -> "Connection[asyncpg.Record]":
    return await asyncpg.connect(
        dsn,
        ssl=trust,
        timeout=_CONNECT_SECONDS,
        command_timeout=_COMMAND_SECONDS,
        statement_cache_size=0,
        # LISTEN and every write need the primary, and a role whose default is read-only may read.
        target_session_attrs=SessionAttribute.primary,
        server_settings={"search_path": SCHEMA, "timezone": "UTC", **session},
    )


@contextmanager
def translated(database: Database) -> Iterator[None]:
    """Turn what asyncpg raises into source errors that name the database and the fix."""
    try:
        yield
    except LOST as error:
        raise source_error(error, database) from error


def source_error(error: BaseException, database: Database) -> SourceError:
    """What a failure of asyncpg means."""
    said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    message = f"Postgres {database.name}: {said}"
    if database.trust and "SSL" in said:
        message += "; off this machine its certificate is checked: repair it, or choose an sslmode in the DSN"
    if isinstance(error, asyncpg.exceptions.ClientConfigurationError):
        return SourceRefused(System.PLATFORM, message)
    code = getattr(error, "sqlstate", None) or ""
    if code in _FIXES:
        message += f": {_FIXES[code]}"
    if code.startswith(_REFUSED):
        return SourceRefused(System.PLATFORM, message)
    if code.startswith(_MISREAD):
        return SourceMisread(System.PLATFORM, message)
    return SourceUnavailable(System.PLATFORM, message)


_FORM = "write postgresql://user:password@host:5432/database"


def _hosts(parts: SplitResult, options: dict[str, list[str]]) -> list[str]:
    """Hosts with their ports, as they are shown; a socket's folder may stand as ?host=."""
    netloc = parts.netloc.rpartition("@")[2]
    return [unquote(host) for host in (netloc or options.get("host", [""])[-1]).split(",")]


def _ports(options: dict[str, list[str]]) -> list[str]:
    """Ports that stand as ?port=, one for all hosts or one for each."""
    return options.get("port", [""])[-1].split(",")


def _alone(parts: SplitResult, options: dict[str, list[str]]) -> tuple[str, ...]:
    """The DSN of each host by itself."""
    user, at, netloc = parts.netloc.rpartition("@")
    if netloc:
        return tuple(parts._replace(netloc=f"{user}{at}{host}").geturl() for host in netloc.split(","))
    hosts, ports = options["host"][-1].split(","), _ports(options)
    if len(ports) not in {1, len(hosts)}:
        raise Invalid(
            f"the Postgres DSN has {len(ports)} ports for {len(hosts)} hosts: give one, or one for each"
        )
    each = zip(hosts, ports if len(ports) > 1 else ports * len(hosts), strict=True)
    queries = (urlencode({**options, "host": host, "port": port}, doseq=True) for host, port in each)
    return tuple(parts._replace(query=query).geturl() for query in queries)


def _split(host: str) -> tuple[str, str]:
    """Host and port, either of which may be an address in brackets or nothing."""
    name, colon, port = host.rpartition(":")
    return (name, port) if colon and "]" not in port else (host, "")


def _is_here(host: str) -> bool:
    name = _split(host)[0]
    if name.startswith("/") or name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _checking(options: dict[str, list[str]]) -> ssl.SSLContext:
    """Check certificate and name, by the authorities of the DSN or of the system."""
    authorities = options.get("sslrootcert", [None])[-1]
    try:
        return ssl.create_default_context(cafile=authorities)
    except OSError as problem:
        raise Invalid(f"sslrootcert of the Postgres DSN: {authorities}: {problem.strerror}") from None
