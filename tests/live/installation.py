"""deploy/ put into a cluster as its users do, and the accounts that it makes there."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from gateway.sources.kubernetes.access import ClusterAccess, Url
from gateway.sources.kubernetes.api import Api
from tests.servers.audit import asked_by
from tests.servers.cluster import Cluster

DEPLOY = Path(__file__).parents[2] / "deploy"
NAMESPACE = "gpu-gateway"
OTHERS = ("gpu-operator", "volcano-system")
"""Namespaces in which deploy/ grants something, and which it does not make."""
SECRETS = {
    "gpu-gateway": {"api-dsn": "gateway_api", "recorder-dsn": "gateway_recorder"},
    "gpu-gateway-controllers": {"reconciler-dsn": "gateway_reconciler", "health-dsn": "gateway_health"},
    "gpu-gateway-migrate": {"owner-dsn": "postgres"},
}
"""As whom each pod logs in to Postgres, by the names that docs/deploy.md gives to their secrets."""


class KubectlFailed(Exception):
    """kubectl ended with an error, or warned; the message is what it said."""


async def kubectl(cluster: Cluster | None, *arguments: str, text: str = "") -> str:
    """What kubectl answers; that it warns of something is a failure."""
    program = Path(sys.executable).with_name("kubectl")
    where = (f"--kubeconfig={cluster.kubeconfig}",) if cluster else ()
    running = await asyncio.create_subprocess_exec(
        program,
        *where,
        *arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(running.communicate(text.encode()), timeout=60)
    if running.returncode or err:
        raise KubectlFailed(f"kubectl {' '.join(arguments)}: {err.decode()}")
    return out.decode()


async def rendered() -> str:
    """All objects of deploy/ as kubectl prints them."""
    return await kubectl(None, "kustomize", str(DEPLOY))


async def objects() -> Sequence[dict[str, Any]]:
    """The same, read."""
    return list(yaml.safe_load_all(await rendered()))


def containers_of(workload: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """The containers that a workload's pods have; none where it is no workload."""
    return workload.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ())


async def install(cluster: Cluster) -> None:
    """Put what deploy/ expects into a cluster, then deploy/ itself."""
    for namespace in OTHERS:
        await cluster.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    await kubectl(cluster, "apply", "--filename=-", text=await rendered())
    for name, roles in SECRETS.items():
        dsns = {key: f"postgresql://{role}@postgres.example.org/platform" for key, role in roles.items()}
        secret = {"metadata": {"name": name}, "stringData": dsns}
        await cluster.create(f"/api/v1/namespaces/{NAMESPACE}/secrets", secret)


def requests_of(cluster: Cluster, account: str) -> Sequence[dict[str, Any]]:
    """All that an account ever asked, as the API server's audit has it."""
    return asked_by(f"system:serviceaccount:{NAMESPACE}:{account}", cluster.audit_log)


class Account:
    """The same API server, asked with an account's token."""

    def __init__(self, cluster: Cluster, token: str) -> None:
        self.url, self.ca, self.token = cluster.url, cluster.ca, token

    request = Cluster.request

    def api(self) -> Api:
        """A connection as the gateway makes it."""
        return Api(ClusterAccess(name="fleet", way=Url(url=self.url, token=self.token, ca_file=self.ca)))


async def as_account(cluster: Cluster, account: str) -> Account:
    """An account with a token such as its pods are given."""
    path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{account}/token"
    answer = await cluster.request("POST", path, {"spec": {"expirationSeconds": 3600}})
    return Account(cluster, answer["status"]["token"])
