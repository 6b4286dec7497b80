"""How each system is made silent, and made to speak again."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import partial

from gateway.errors import System
from tests.live.silence_site import Ways
from tests.servers.faulty import Fault
from tests.servers.jwt import mint

K8S = ("/api/v1", "/version", "/apis/apps/v1/daemonsets", "/apis/node.k8s.io", "/apis/resource.k8s.io")
VOLCANO = ("/apis/scheduling.volcano.sh", "/apis/apps/v1/deployments")
NEVER, UNSAID = (False,), (False, True)
"""UNSAID: Slurm 22.05 says the same of a bad token and of a silent slurmctld, later ones tell them apart."""
Act = Callable[[Ways], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Silencing:
    """One way for one system to fall silent."""

    begin: Act
    end: Act
    silent: frozenset[System]
    retryable: frozenset[bool]
    """Whether waiting may help, as callers are told."""
    words: str = ""
    """Some of what the source then says of itself."""


def over_http(fault: Fault, forward: str, *prefixes: str) -> tuple[Act, Act]:
    """What stands before the server answers like this."""

    async def begin(ways: Ways) -> None:
        getattr(ways, forward).fail(fault, *prefixes)

    async def end(ways: Ways) -> None:
        getattr(ways, forward).restore()

    return begin, end


def on_the_way(act: str, way: str, *arguments: int) -> tuple[Act, Act]:
    """The network does this."""

    async def begin(ways: Ways) -> None:
        done = getattr(getattr(ways, way), act)(*arguments)
        if done is not None:
            await done

    async def end(ways: Ways) -> None:
        await getattr(ways, way).restore()

    return begin, end


def shown(file: str, false: Callable[[Ways], str], true: Callable[[Ways], str]) -> tuple[Act, Act]:
    """The gateway shows a token that is not good, until the file is written anew."""

    async def write(text: Callable[[Ways], str], ways: Ways) -> None:
        getattr(ways, file).write_text(text(ways))

    return partial(write, false), partial(write, true)


def by_sql(*statements: str, then: tuple[str, ...]) -> tuple[Act, Act]:
    """The database is told so, and its connections end."""

    async def tell(lines: tuple[str, ...], ways: Ways) -> None:
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'"
        await ways.site.sql(*(line.format(role=ways.role) for line in (*lines, end)))

    return partial(tell, statements), partial(tell, then)


def password_changed() -> tuple[Act, Act]:
    """The role's password is another one; later the file with the DSN says so."""
    begin, _ = by_sql("ALTER ROLE {role} PASSWORD 'second'", then=())

    async def end(ways: Ways) -> None:
        ways.use_password("second")

    return begin, end


def _silencing(
    acts: tuple[Act, Act], *silent: System, retryable: Collection[bool] = (True,), words: str = ""
) -> Silencing:
    begin, end = acts
    return Silencing(
        begin=begin, end=end, silent=frozenset(silent), retryable=frozenset(retryable), words=words
    )


def _http_faults(forward: str, prefixes: tuple[str, ...], *silent: System) -> dict[str, Silencing]:
    names = {
        "hung": Fault.HUNG,
        "reset midway": Fault.RESET,
        "garbage": Fault.GARBAGE,
        "200 with an error inside": Fault.ERROR_INSIDE,
        "half an answer": Fault.HALF,
    }
    return {name: _silencing(over_http(fault, forward, *prefixes), *silent) for name, fault in names.items()}


_BOTH = (System.KUBERNETES, System.QUEUES)
"""What a cluster's server and its token carry together."""

FAULTS: dict[str, dict[str, Silencing]] = {
    "kubernetes": {
        "refused": _silencing(on_the_way("cut", "cluster_way"), *_BOTH),
        "half-open": _silencing(on_the_way("strand", "cluster_way"), *_BOTH),
        "wrong credentials": _silencing(
            shown("cluster_token", lambda _: "wrong", lambda ways: ways.site.control_plane.token),
            *_BOTH,
            retryable=NEVER,
            words="401",
        ),
        **_http_faults("cluster", K8S, System.KUBERNETES),
    },
    "queues": {
        "wrong credentials": _silencing(
            shown(
                "cluster_token",
                lambda ways: ways.site.control_plane.powerless_token,
                lambda ways: ways.site.control_plane.token,
            ),
            System.QUEUES,
            retryable=NEVER,
            words="forbidden",
        ),
        **_http_faults("cluster", VOLCANO, System.QUEUES),
    },
    "platform": {
        "refused": _silencing(on_the_way("cut", "records_way"), System.PLATFORM),
        "hung": _silencing(on_the_way("mute", "records_way"), System.PLATFORM),
        "half-open": _silencing(on_the_way("strand", "records_way"), System.PLATFORM),
        "reset midway": _silencing(on_the_way("cut_after", "records_way", 200), System.PLATFORM),
        "half an answer": _silencing(on_the_way("cut_after", "records_way", 2_000), System.PLATFORM),
        "garbage": _silencing(on_the_way("babble", "records_way"), System.PLATFORM),
        "200 with an error inside": _silencing(
            by_sql(
                "REVOKE SELECT ON gateway.tenant FROM {role}",
                then=("GRANT SELECT ON gateway.tenant TO {role}",),
            ),
            System.PLATFORM,
            retryable=NEVER,
            words="permission denied",
        ),
        "wrong credentials": _silencing(
            password_changed(), System.PLATFORM, retryable=NEVER, words="password authentication failed"
        ),
        "expired token": _silencing(
            by_sql(
                "ALTER ROLE {role} VALID UNTIL '2020-01-01'",
                then=("ALTER ROLE {role} VALID UNTIL 'infinity'",),
            ),
            System.PLATFORM,
            retryable=NEVER,
            words="password authentication failed",
        ),
    },
    "slurm": {
        "refused": _silencing(on_the_way("cut", "slurm_way"), System.SLURM),
        "half-open": _silencing(on_the_way("strand", "slurm_way"), System.SLURM),
        "wrong credentials": _silencing(
            shown(
                "slurm_token",
                lambda ways: mint(b"another key", ways.site.slurm.user),
                lambda ways: ways.site.slurm.token,
            ),
            System.SLURM,
            retryable=UNSAID,
        ),
        "expired token": _silencing(
            shown(
                "slurm_token",
                lambda ways: mint(
                    ways.site.slurm.files.jwt_key.read_bytes(), ways.site.slurm.user, expires=1
                ),
                lambda ways: ways.site.slurm.token,
            ),
            System.SLURM,
            retryable=UNSAID,
        ),
        **_http_faults("slurm", (), System.SLURM),
    },
}
