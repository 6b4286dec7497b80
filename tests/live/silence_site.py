"""A small fleet on real servers, and gateways on it, each with ways of its own that can go wrong."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gateway.assembly import assemble
from gateway.settings import ClusterSettings, PostgresSettings, Settings, SlurmSettings
from gateway.simulator.listener import Listener
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.platform_file import read_platform_file
from gateway.sources.postgres.write import import_platform
from tests.asking import Gateway
from tests.servers.control_plane import POWERLESS, ControlPlane
from tests.servers.faulty import FaultyWay, Forward
from tests.servers.postgres import Postgres
from tests.servers.slurm import Slurm
from tests.servers.volcano import QUEUES
from tests.sources.postgres.passwords import ask_for_a_password
from tests.sources.postgres.running import open_session

STALE_AFTER = timedelta(seconds=6)
_SECONDS = 40
_PLATFORM = """
clusters: [fleet]
gpuTypes:
  - {name: H100-80GB, memoryMiB: 81559, products: [NVIDIA-H100-80GB-HBM3], slurmTypes: [h100]}
prices:
  - {gpuType: H100-80GB, amount: "2.50", currency: USD, from: 2026-01-01T00:00:00Z}
tenants:
  - name: vision
    nodes:
      - {name: silent-01, target: KUBERNETES}
      - {name: gpu-h100-01, target: SLURM}
    workspaces:
      - {name: training, namespaces: [default], queue: silent, allocations: {H100-80GB: 4}}
"""
_GPUS = {"nvidia.com/gpu": "8", "cpu": "64", "memory": "1Ti", "pods": "110"}
_NODE = {
    "metadata": {
        "name": "silent-01",
        "labels": {"nvidia.com/gpu.count": "8", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
    },
    "status": {
        "capacity": _GPUS,
        "allocatable": _GPUS,
        "conditions": [{"type": "Ready", "status": "True", "reason": "Up", "message": "up"}],
    },
}
_POD = {
    "metadata": {"name": "silent-0"},
    "spec": {
        "nodeName": "silent-01",
        "containers": [
            {"name": "main", "image": "train:1", "resources": {"limits": {"nvidia.com/gpu": "2"}}}
        ],
    },
}
_QUEUE = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "Queue",
    "metadata": {"name": "silent"},
    "spec": {"deserved": {"nvidia.com/gpu": "4"}},
    "status": {"allocated": {"nvidia.com/gpu": "2"}, "state": "Open"},
}
_RBAC = "/apis/rbac.authorization.k8s.io/v1"
_ALL_BUT_QUEUES = {
    "metadata": {"name": "all-but-queues"},
    "rules": [
        {
            "apiGroups": ["", "apps", "node.k8s.io", "resource.k8s.io"],
            "resources": ["*"],
            "verbs": ["get", "list", "watch"],
        }
    ],
}
_BINDING = {
    "metadata": {"name": "all-but-queues"},
    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": POWERLESS}],
    "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "all-but-queues",
    },
}
_STATUS = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "message": "etcdserver: request timed out",
    "code": 500,
}
_SLURM_ERROR = {
    "meta": {},
    "errors": [{"error_number": 5004, "error": "Socket timed out", "description": "Failure to query"}],
    "warnings": [],
}


@dataclass(frozen=True, kw_only=True)
class Ways:
    """How one gateway reaches the servers: what stands between, and what it shows there."""

    cluster: Forward
    cluster_way: FaultyWay
    cluster_token: Path
    slurm: Forward
    slurm_way: FaultyWay
    slurm_token: Path
    records_way: FaultyWay
    dsn_file: Path
    role: str
    site: "Site"

    @property
    def settings(self) -> Settings:
        """Those of a gateway that notices silence within seconds."""
        cluster = ClusterSettings(name="fleet", url=self.cluster_way.url, token_file=self.cluster_token)
        slurm = SlurmSettings(
            name="slurm",
            cluster="fleet",
            url=self.slurm_way.url,
            user=self.site.slurm.user,
            token_file=self.slurm_token,
        )
        return Settings(
            stale_after=STALE_AFTER,
            slurm_poll=timedelta(seconds=1),
            platform_resync=timedelta(seconds=3),
            postgres=PostgresSettings(dsn_file=self.dsn_file),
            clusters=(cluster,),
            slurms=(slurm,),
        )

    def use_password(self, password: str) -> None:
        """What the DSN says from now on."""
        there = f"{self.role}:{password}@127.0.0.1:{urlsplit(self.records_way.url).port}"
        self.dsn_file.write_text(urlsplit(self.site.dsn)._replace(netloc=there).geturl())


@dataclass(frozen=True, kw_only=True)
class Here:
    """One gateway at work."""

    gateway: Gateway
    ways: Ways

    async def until(self, query: str, holds: Callable[[Any], bool]) -> Any:
        """The first answer of which this holds."""
        return await until(self.gateway, query, holds)


async def until(gateway: Gateway, query: str, holds: Callable[[Any], bool]) -> Any:
    """The first answer of which this holds."""
    answer: Any = None
    try:
        async with asyncio.timeout(_SECONDS):
            while not holds(answer := gateway.ask(query)):  # noqa: ASYNC110  the servers set no event
                await asyncio.sleep(0.2)
    except TimeoutError:
        raise AssertionError(f"never so: {answer['data']['sources']}") from None
    return answer


@dataclass(frozen=True, kw_only=True)
class Site:
    """The real servers with the fleet in them."""

    control_plane: ControlPlane
    slurm: Slurm
    dsn: str
    folder: Path

    @asynccontextmanager
    async def gateway(self) -> AsyncIterator[Here]:
        """A gateway over ways of its own."""
        async with AsyncExitStack() as stack:
            ways = await self._ways(stack)
            assembly = assemble(ways.settings)
            await stack.enter_async_context(assembly.running())
            yield Here(gateway=Gateway(assembly.keeper), ways=ways)

    async def sql(self, *statements: str) -> None:
        """Do this as the owner of the database."""
        async with open_session(self.dsn) as session:
            for statement in statements:
                await session.execute(statement)

    async def _ways(self, stack: AsyncExitStack) -> Ways:
        ca = str(self.control_plane.ca)
        cluster = await stack.enter_async_context(Forward(self.control_plane.url, ca=ca, error=_STATUS))
        slurm = await stack.enter_async_context(Forward(self.slurm.url, error=_SLURM_ERROR))
        listeners = [await stack.enter_async_context(Listener(app)) for app in (cluster, slurm)]
        way_to = [await _way_to(stack, url) for url in (*(one.url for one in listeners), self.dsn)]
        folder = self.folder / secrets.token_hex(4)
        folder.mkdir()
        ways = Ways(
            cluster=cluster,
            cluster_way=way_to[0],
            cluster_token=folder / "cluster",
            slurm=slurm,
            slurm_way=way_to[1],
            slurm_token=folder / "slurm",
            records_way=way_to[2],
            dsn_file=folder / "dsn",
            role=f"reader_{folder.name}",
            site=self,
        )
        await self._let_in(ways)
        return ways

    async def _let_in(self, ways: Ways) -> None:
        """Good credentials for each system."""
        ways.cluster_token.write_text(self.control_plane.token)
        ways.slurm_token.write_text(self.slurm.token)
        ways.use_password("first")
        await self.sql(
            f"CREATE ROLE {ways.role} LOGIN PASSWORD 'first' IN ROLE reader",
            f"GRANT USAGE ON SCHEMA gateway TO {ways.role}",
            f"GRANT ALL ON ALL TABLES IN SCHEMA gateway TO {ways.role}",
        )


async def _way_to(stack: AsyncExitStack, url: str) -> FaultyWay:
    way = FaultyWay(url)
    await way.restore()
    stack.push_async_callback(way.cut)
    return way


@asynccontextmanager
async def fleet_on(
    control_plane: ControlPlane, slurm: Slurm, postgres: Postgres, folder: Path
) -> AsyncIterator[Site]:
    """The fleet, written into the servers, and taken out of them again."""
    async with AsyncExitStack() as stack:
        dsn = await stack.enter_async_context(postgres.database())
        await stack.enter_async_context(_in_kubernetes(control_plane))
        site = Site(control_plane=control_plane, slurm=slurm, dsn=dsn, folder=folder)
        await _in_postgres(site)
        job = await slurm.submit("--gres=gpu:h100:2", "--partition=train", "--nodelist=gpu-h100-01")
        stack.push_async_callback(slurm.run, "scancel", str(job))
        await slurm.runs(job)
        yield site


@asynccontextmanager
async def _in_kubernetes(control_plane: ControlPlane) -> AsyncIterator[None]:
    nodes, pods = "/api/v1/nodes", "/api/v1/namespaces/default/pods"
    await control_plane.create(nodes, _NODE)
    await control_plane.create(pods, _POD)
    await control_plane.create(QUEUES, _QUEUE)
    await control_plane.create(f"{_RBAC}/clusterroles", _ALL_BUT_QUEUES)
    await control_plane.create(f"{_RBAC}/clusterrolebindings", _BINDING)
    try:
        yield
    finally:
        await control_plane.request("DELETE", f"{_RBAC}/clusterrolebindings/all-but-queues")
        await control_plane.request("DELETE", f"{_RBAC}/clusterroles/all-but-queues")
        await control_plane.request("DELETE", f"{pods}/silent-0?gracePeriodSeconds=0")
        await control_plane.request("DELETE", f"{nodes}/silent-01")
        await control_plane.request("DELETE", f"{QUEUES}/silent")


async def _in_postgres(site: Site) -> None:
    await migrate(site.dsn)
    file = site.folder / "platform.yaml"
    file.write_text(_PLATFORM)
    await import_platform(site.dsn, read_platform_file(file))
    await site.sql("CREATE ROLE reader")
    async with open_session(site.dsn) as session:
        await ask_for_a_password(session, "+reader")
