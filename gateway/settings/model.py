"""The settings themselves, each with its default, its unit and why; docs/settings.md is made of this file."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from gateway.settings.values import Name, Names, Namespace, OneOf, Whole

_WEB = Path(__file__).parents[2] / "web"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSettings:
    """How much one request may ask. A request beyond a limit is refused before anything is executed."""

    max_body_bytes: Annotated[int, Whole(1_000, 100_000_000)] = 1_000_000
    """Bytes of a POST body, or of the query string of a GET. A document with a thousand ids has 100,000."""
    body_timeout: timedelta = timedelta(seconds=10)
    """How long a caller may take to send its body: a slow one holds a connection, nothing else."""
    max_tokens: Annotated[int, Whole(10, 1_000_000)] = 2_000
    """Tokens of a document, and comments, each. A query for every field there is has 650, introspection 200.
    To validate one that repeats itself costs the square: some 0.3 s for 2,000, over 1 s for 5,000."""
    max_depth: Annotated[int, Whole(1, 150)] = 20
    """Fields within fields, fragments expanded. Introspection needs 15."""
    max_aliases: Annotated[int, Whole(0, 10_000)] = 50
    """Aliases of an operation, fragments expanded: each can ask for the same costly field again."""
    max_directives: Annotated[int, Whole(0, 10_000)] = 100
    """Directives of an operation, fragments expanded."""
    cached_documents: Annotated[int, Whole(0, 100_000)] = 500
    """How many checked documents are remembered: a repeated one is neither parsed nor validated again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresSettings:
    """The platform's records. Without a DSN there are none: every node is unmanaged.

    Each part of the gateway may log in as a role of its own, which PostgreSQL holds to its own fields:
    `gpu-gateway migrate` creates them. Run it itself as another, who then owns the tables.
    """

    dsn: Annotated[str, Name()] | None = None
    """postgresql://gateway_api@host/database, or host1,host2, of which the primary is used.

    Give it a password only by `dsn_file`. Default: no records.
    """
    dsn_file: Path | None = None
    """A file with the DSN in it, for a DSN that holds a password; read again for each connection."""
    recorder_dsn: Annotated[str, Name()] | None = None
    """The same database as gateway_recorder, who keeps alerts and why work waited. Default: `dsn`."""
    recorder_dsn_file: Path | None = None
    """A file with that DSN in it."""
    reconciler_dsn: Annotated[str, Name()] | None = None
    """The same database as gateway_reconciler, who tells how far a node's change is. Default: `dsn`."""
    reconciler_dsn_file: Path | None = None
    """A file with that DSN in it."""
    health_dsn: Annotated[str, Name()] | None = None
    """The same database as gateway_health, the health monitor. Default: `dsn`."""
    health_dsn_file: Path | None = None
    """A file with that DSN in it."""

    def read_dsn(self) -> str | None:
        """The API's DSN, whichever way it is given."""
        return self.dsn_file.read_text().strip() if self.dsn_file else self.dsn

    def read_recorder_dsn(self) -> str | None:
        """The recorder's DSN."""
        return self._own(self.recorder_dsn, self.recorder_dsn_file)

    def read_reconciler_dsn(self) -> str | None:
        """The reconciler's DSN."""
        return self._own(self.reconciler_dsn, self.reconciler_dsn_file)

    def read_health_dsn(self) -> str | None:
        """The health monitor's DSN."""
        return self._own(self.health_dsn, self.health_dsn_file)

    def _own(self, dsn: str | None, file: Path | None) -> str | None:
        given = file.read_text().strip() if file else dsn
        return self.read_dsn() if given is None else given


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSettings:
    """A Valkey or Redis through which replicas share Slurm's answers; while it is away each asks alone."""

    url: Annotated[str, Name()] | None = None
    """redis://user@host:port/database, or rediss:// for TLS. Default: nothing is shared."""
    password_file: Path | None = None
    """A file with the password in it, read again for each connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerSettings:
    """What `gpu-gateway controllers` may do to nodes."""

    port: Annotated[int, Whole(0, 65_535)] = 8_001
    """The port of its /healthz and /readyz; 0 takes a free one."""
    drain_timeout: timedelta = timedelta(minutes=30)
    """How long a node may be out of service before its cards are cut: then the cordon is given back."""
    max_nodes_in_change: Annotated[int, Whole(1, 1_000)] = 1
    """Nodes of a cluster that may be out of service for a layout at once, those that got stuck among them."""
    mig_label_adopt_from: Annotated[tuple[str, ...], Names()] = ("gpu-operator",)
    """Field managers from which the label nvidia.com/mig.config may be taken over; `kubectl get node NAME -o
    yaml --show-managed-fields` tells who owns it. From others it is not taken."""
    operator_namespace: Annotated[str, Namespace()] = "gpu-operator"
    """Where the GPU operator runs, and reads the configurations of its MIG manager."""
    lease_namespace: Annotated[str, Namespace()] = "gpu-gateway"
    """Where the Lease is by which one of several processes leads a cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """A Kubernetes cluster, reached in one of three ways: `kubeconfig`, `in_cluster`, or `url`."""

    name: Annotated[str, Name()]
    """What the graph calls it."""
    kubeconfig: Path | None = None
    """A kubeconfig file; credential plugins in it are run."""
    context: Annotated[str, Name()] | None = None
    """The context of that file. Default: its current one."""
    in_cluster: bool = False
    """Use the service account of the pod that the gateway runs in."""
    url: Annotated[str, Name()] | None = None
    """https://host:port of the API server; plain http only on loopback."""
    token_file: Path | None = None
    """A bearer token, read again for each request, so that it can be renewed in place."""
    ca_file: Path | None = None
    """The authority that signed the API server's certificate. Default: those that the machine trusts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmSettings:
    """A Slurm, reached through its slurmrestd."""

    name: Annotated[str, Name()]
    """What the graph calls it."""
    cluster: Annotated[str, Name()]
    """The cluster that its nodes belong to: one of `clusters`, or a name of its own where there are none."""
    url: Annotated[str, Name()]
    """http://host:port, https://host/prefix, or unix:///path/of/socket."""
    user: Annotated[str, Name()] | None = None
    """Sent beside the token; Slurm 22.05 needs it. Default: whoever the token names."""
    token_file: Path | None = None
    """The token that `scontrol token` prints after SLURM_JWT=, read again for each request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set."""

    host: Annotated[str, Name()] = "127.0.0.1"
    """The address to listen on. Only loopback, until the gateway can be told who may ask."""
    port: Annotated[int, Whole(0, 65_535)] = 8_000
    """The port to listen on; 0 takes a free one."""
    log_level: Annotated[str, OneOf("debug", "info", "warning", "error")] = "info"
    """The least level that is logged; probes of health are logged at debug."""
    web: Path = field(default=_WEB)
    """The folder of GraphiQL's files, which `make web` fills. Default: `web` beside the packages."""
    stale_after: timedelta = timedelta(minutes=5)
    """How long a silent system's last answer is still shown, with its age; then its fields are errors. Long
    enough for a restart of an API server, short enough that nobody plans with old numbers."""
    kubernetes_relist: timedelta = timedelta(hours=1)
    """How often everything is listed again although the watch goes on, should it ever have lost something."""
    slurm_poll: timedelta = timedelta(seconds=10)
    """How often each Slurm is asked for its nodes and jobs: it has no watch, and slurmctld pays for each."""
    platform_resync: timedelta = timedelta(minutes=1)
    """How often the records are read again although no change was notified."""
    reasons_kept: timedelta = timedelta(days=30)
    """How long it is kept why work waited, after it no longer did."""
    postgres: PostgresSettings = field(default_factory=PostgresSettings)
    cache: CacheSettings = field(default_factory=CacheSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    controllers: ControllerSettings = field(default_factory=ControllerSettings)
    clusters: tuple[ClusterSettings, ...] = ()
    slurms: tuple[SlurmSettings, ...] = ()
